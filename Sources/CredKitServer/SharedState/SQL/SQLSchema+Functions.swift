// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
    /// Remembers, lists and consumes challenges.
    static let challenges = """
        CREATE OR REPLACE FUNCTION {s}.remember(p_client bytea, p_challenge bytea, p_lifetime bigint, p_limit bigint)
        RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          answered bigint;
        BEGIN
          PERFORM {s}.hold({s}.slot(p_client));
          answered := {s}.moment();
          DELETE FROM {s}.challenges c WHERE c.client = p_client AND c.ends <= answered;
          DELETE FROM {s}.challenges c WHERE c.number IN (
            SELECT o.number FROM {s}.challenges o WHERE o.client = p_client ORDER BY o.number DESC OFFSET p_limit - 1
          );
          INSERT INTO {s}.challenges (client, challenge, ends) VALUES (p_client, p_challenge, answered + p_lifetime);
          RETURN answered;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.challenges_of(p_client bytea)
        RETURNS TABLE (answered bigint, challenge bytea)
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
          SELECT n.answered, c.challenge FROM (SELECT {s}.moment() AS answered OFFSET 0) n
          LEFT JOIN {s}.challenges c ON c.client = p_client AND c.ends > n.answered ORDER BY c.number
        $$;
        CREATE OR REPLACE FUNCTION {s}.consume(p_client bytea, p_challenge bytea)
        RETURNS TABLE (answered bigint, consumed bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          latest bigint;
        BEGIN
          WITH gone AS (
            DELETE FROM {s}.challenges c WHERE c.client = p_client AND c.challenge = p_challenge RETURNING c.ends
          )
          SELECT max(gone.ends) INTO latest FROM gone;
          answered := {s}.moment();
          consumed := CASE WHEN latest > answered THEN 1 ELSE 0 END;
          RETURN NEXT;
        END $$;
        """

    /// Counts an attempt for all keys or for none. The keys have 32 bytes each; of each one, the numbers are the interval and
    /// the burst. `p_lasts` is 1 if a crash must not forget the attempt. The locks are taken in one order, so that no two calls wait for each other.
    ///
    /// The rule is also that of `RateTable` and of `RedisRateStore.charging`. It is tested with `RateCases`, together with these.
    static let rates = """
        CREATE OR REPLACE FUNCTION {s}.longest_wait(p_keys bytea, p_numbers bigint[], p_now bigint) RETURNS bigint
        LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
          SELECT coalesce(max(
            least(coalesce(
              (SELECT r.free_at FROM {s}.rates r WHERE r.key = substr(p_keys, 32 * i - 31, 32)), p_now
            ), p_now + p_numbers[2 * i]) + p_numbers[2 * i - 1] - p_numbers[2 * i] - p_now
          ), 0)
          -- A join would read the whole table: the planner expects many keys.
          FROM generate_series(1, length(p_keys) / 32) i
        $$;
        CREATE OR REPLACE FUNCTION {s}.charge(p_keys bytea, p_numbers text, p_lasts bigint)
        RETURNS TABLE (answered bigint, wait bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          numbers bigint[] := string_to_array(p_numbers, ',')::bigint[];
          slot integer;
        BEGIN
          answered := {s}.moment();
          wait := {s}.longest_wait(p_keys, numbers, answered);
          -- A refused attempt neither waits nor writes.
          IF wait > 0 THEN RETURN NEXT; RETURN; END IF;
          FOR slot IN
            SELECT DISTINCT {s}.slot(substr(p_keys, 32 * i - 31, 32)) AS n
            FROM generate_series(1, length(p_keys) / 32) i ORDER BY n
          LOOP PERFORM {s}.hold(slot); END LOOP;
          answered := {s}.moment();
          wait := {s}.longest_wait(p_keys, numbers, answered);
          IF wait > 0 THEN RETURN NEXT; RETURN; END IF;
          -- A crash may forget the last attempts, so that nothing has to wait for the disk.
          IF p_lasts = 0 THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
          INSERT INTO {s}.rates AS r (key, free_at)
            SELECT substr(p_keys, 32 * i - 31, 32), answered + numbers[2 * i - 1]
            FROM generate_series(1, length(p_keys) / 32) i ORDER BY 1
            ON CONFLICT (key) DO UPDATE SET free_at = excluded.free_at
              + greatest(least(r.free_at, answered + (
                SELECT numbers[2 * i] - numbers[2 * i - 1] FROM generate_series(1, length(p_keys) / 32) i
                WHERE substr(p_keys, 32 * i - 31, 32) = excluded.key
              )) - answered, 0);
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.reset(p_key bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          DELETE FROM {s}.rates r WHERE r.key = p_key;
          RETURN {s}.moment();
        END $$;
        """

    /// Creates, finds and ends sessions. What creates or ends sessions of a user holds the user's lock, so that the end of all
    /// sessions sees each one that was created before.
    static let sessions = """
        CREATE OR REPLACE FUNCTION {s}.create_session(
          p_session bytea, p_user bytea, p_name bytea, p_ends bigint, p_idle bigint, p_limit bigint
        ) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          answered bigint;
        BEGIN
          PERFORM {s}.hold({s}.slot(p_user));
          answered := {s}.moment();
          DELETE FROM {s}.sessions s WHERE s.session = p_session;
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user AND least(s.ends, s.last_use + s.idle) <= answered;
          DELETE FROM {s}.sessions s WHERE s.session IN (
            SELECT o.session FROM {s}.sessions o WHERE o.user_key = p_user ORDER BY o.number DESC OFFSET p_limit - 1
          );
          INSERT INTO {s}.sessions (session, user_key, user_name, ends, idle, last_use)
            VALUES (p_session, p_user, p_name, answered + p_ends, p_idle, answered);
          RETURN answered;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.user_of(p_session bytea)
        RETURNS TABLE (answered bigint, user_name bytea)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          used bigint;
          step bigint;
        BEGIN
          answered := {s}.moment();
          SELECT s.user_name, s.last_use, least(s.idle / 8, 60000000) INTO user_name, used, step
            FROM {s}.sessions s
            WHERE s.session = p_session AND answered < s.ends AND answered < s.last_use + s.idle;
          IF FOUND AND answered > used + step THEN
            -- A crash may lose this, so that nothing has to wait for the disk.
            PERFORM set_config('synchronous_commit', 'off', true);
            UPDATE {s}.sessions s SET last_use = answered WHERE s.session = p_session AND s.last_use < answered;
          END IF;
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.revoke(p_session bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          DELETE FROM {s}.sessions s WHERE s.session = p_session;
          RETURN {s}.moment();
        END $$;
        CREATE OR REPLACE FUNCTION {s}.revoke_all(p_user bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          PERFORM {s}.hold({s}.slot(p_user));
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user;
          RETURN {s}.moment();
        END $$;
        """

    /// Reads and advances counters of one-time codes: 8 bytes, which are compared as unsigned numbers.
    static let counters = """
        CREATE OR REPLACE FUNCTION {s}.counter_of(p_account bytea)
        RETURNS TABLE (answered bigint, counter bytea)
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
          SELECT {s}.moment(), (SELECT c.counter FROM {s}.counters c WHERE c.account = p_account)
        $$;
        CREATE OR REPLACE FUNCTION {s}.advance(p_account bytea, p_counter bytea)
        RETURNS TABLE (answered bigint, advanced bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          INSERT INTO {s}.counters AS c (account, counter) VALUES (p_account, p_counter)
            ON CONFLICT (account) DO UPDATE SET counter = excluded.counter WHERE c.counter < excluded.counter;
          advanced := CASE WHEN FOUND THEN 1 ELSE 0 END;
          answered := {s}.moment();
          RETURN NEXT;
        END $$;
        """

    /// Removes what has expired, at most a number of rows of each table, and none that another transaction holds.
    static let purging = """
        CREATE OR REPLACE FUNCTION {s}.purge(p_batch bigint, p_now bigint)
        RETURNS TABLE (answered bigint, removed bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          gone bigint;
          through bigint;
        BEGIN
          answered := {s}.moment();
          removed := 0;
          -- A clock that is ahead must not make anything forgotten.
          through := least(answered, p_now);
          DELETE FROM {s}.replays WHERE key IN (
            SELECT key FROM {s}.replays WHERE kept_until <= through LIMIT p_batch FOR UPDATE SKIP LOCKED);
          GET DIAGNOSTICS gone = ROW_COUNT; removed := removed + gone;
          DELETE FROM {s}.rates WHERE key IN (
            SELECT key FROM {s}.rates WHERE free_at <= through LIMIT p_batch FOR UPDATE SKIP LOCKED);
          GET DIAGNOSTICS gone = ROW_COUNT; removed := removed + gone;
          DELETE FROM {s}.challenges WHERE number IN (
            SELECT number FROM {s}.challenges WHERE ends <= through LIMIT p_batch FOR UPDATE SKIP LOCKED);
          GET DIAGNOSTICS gone = ROW_COUNT; removed := removed + gone;
          DELETE FROM {s}.sessions WHERE session IN (
            SELECT session FROM {s}.sessions WHERE least(ends, last_use + idle) <= through
            LIMIT p_batch FOR UPDATE SKIP LOCKED);
          GET DIAGNOSTICS gone = ROW_COUNT; removed := removed + gone;
          RETURN NEXT;
        END $$;
        """
}
