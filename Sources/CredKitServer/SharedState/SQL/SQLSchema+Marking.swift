// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
    /// Marks something as used, unless it was used before or may have been. The rule stands also in
    /// `RedisScript.marking` and `ReplayTable`.
    static let marking = """
        CREATE OR REPLACE FUNCTION {s}.mark(
          p_key bytea, p_account bytea, p_retention bigint, p_lifetime bigint, p_age bigint, p_limit bigint,
          p_now bigint, p_tolerance bigint
        ) RETURNS TABLE (answered bigint, word text, began bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          present text := {s}.history();
        BEGIN
          answered := \(moment);
          began := answered;
          IF current_setting('fsync') <> 'on' OR current_setting('synchronous_commit') = 'off' THEN
            word := 'unsafe'; RETURN NEXT; RETURN;
          END IF;
          -- A history that begins by a wrong clock would begin too early once the clock is right.
          IF abs(answered - p_now) > p_tolerance THEN
            word := 'clocks'; RETURN NEXT; RETURN;
          END IF;
          -- The row is only locked when a history begins.
          SELECT e.since INTO began FROM {s}.epoch e WHERE e.history = present;
          IF NOT FOUND THEN
            INSERT INTO {s}.epoch AS e (history, since) VALUES (present, greatest(answered, p_now))
              ON CONFLICT (one) DO UPDATE SET history = excluded.history, since = excluded.since
              WHERE e.history <> excluded.history;
            SELECT e.since INTO STRICT began FROM {s}.epoch e WHERE e.history = present;
          END IF;
          IF EXISTS (SELECT FROM {s}.replays r WHERE r.key = p_key) THEN
            word := 'replayed'; RETURN NEXT; RETURN;
          END IF;
          IF answered - p_age <= began THEN
            word := 'early'; RETURN NEXT; RETURN;
          END IF;
          IF p_limit <= (
            SELECT count(*) FROM (
              SELECT FROM {s}.replays r WHERE r.account = p_account AND r.counts_until > answered LIMIT p_limit
            ) counted
          ) THEN
            word := 'full'; RETURN NEXT; RETURN;
          END IF;
          INSERT INTO {s}.replays (key, account, counts_until, kept_until)
            VALUES (p_key, p_account, answered + p_lifetime, answered + p_retention)
            ON CONFLICT (key) DO NOTHING;
          word := CASE WHEN FOUND THEN 'accepted' ELSE 'replayed' END;
          RETURN NEXT;
        END $$;
        """

    /// Completes a login: marks its use, if there is one, forgets the attempts and creates the session, if there is one.
    static let completing = """
        CREATE OR REPLACE FUNCTION {s}.complete(
          p_key bytea, p_account bytea, p_retention bigint, p_lifetime bigint, p_age bigint, p_limit bigint,
          p_now bigint, p_tolerance bigint, p_attempts bytea, p_session bytea, p_user bytea, p_name bytea, p_ends bigint, p_idle bigint, p_sessions bigint,
          p_session_key bytea
        ) RETURNS TABLE (answered bigint, word text, began bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          -- Before any other row is locked, so that no two calls wait for each other.
          IF p_session IS NOT NULL THEN
            \(hold("p_user"))
          END IF;
          IF p_key IS NULL THEN
            answered := \(moment); word := 'accepted'; began := 0;
          ELSE
            SELECT * INTO answered, word, began
              FROM {s}.mark(p_key, p_account, p_retention, p_lifetime, p_age, p_limit, p_now, p_tolerance);
          END IF;
          IF word = 'accepted' THEN
            DELETE FROM {s}.rates r WHERE r.key = p_attempts;
            IF p_session IS NOT NULL THEN
              PERFORM {s}.create_session(p_session, p_user, p_name, p_ends, p_idle, p_sessions, p_session_key);
            END IF;
          END IF;
          RETURN NEXT;
        END $$;
        """
}
