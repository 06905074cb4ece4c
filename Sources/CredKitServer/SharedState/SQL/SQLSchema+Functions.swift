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
          \(hold("p_client"))
          answered := \(moment);
          DELETE FROM {s}.challenges c WHERE c.client = p_client AND c.ends <= answered;
          DELETE FROM {s}.challenges c WHERE c.client = p_client AND c.number <= (
            SELECT o.number FROM {s}.challenges o WHERE o.client = p_client ORDER BY o.number DESC OFFSET p_limit - 1 LIMIT 1
          );
          INSERT INTO {s}.challenges (client, challenge, ends) VALUES (p_client, p_challenge, answered + p_lifetime);
          RETURN answered;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.challenges_of(p_client bytea)
        RETURNS TABLE (answered bigint, challenge bytea)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          present bigint := \(moment);
        BEGIN
          RETURN QUERY SELECT present, c.challenge FROM (VALUES (1)) one
            LEFT JOIN {s}.challenges c ON c.client = p_client AND c.ends > present ORDER BY c.number;
        END $$;
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
          answered := \(moment);
          consumed := CASE WHEN latest > answered THEN 1 ELSE 0 END;
          RETURN NEXT;
        END $$;
        """

    /// Counts an attempt for all keys or for none. The keys have 32 bytes each and are in ascending order, so that no two calls
    /// wait for each other's locks; of each one, the numbers are the interval and the burst. `p_lasts` is 1 if a crash must not
    /// forget the attempt.
    ///
    /// The rule is also that of `RateTable` and of `RedisRateStore.charging`. It is tested with `RateCases`, together with these.
    static let rates = """
        CREATE OR REPLACE FUNCTION {s}.charge(p_keys bytea, p_numbers text, p_lasts bigint)
        RETURNS TABLE (answered bigint, wait bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          numbers bigint[] := string_to_array(p_numbers, ',')::bigint[];
          count integer := length(p_keys) / 32;
          name bytea;
          free bigint;
        BEGIN
          -- Key by key: a statement for all of them would be planned anew for each call.
          FOR pass IN 1 .. 2 LOOP
            answered := \(moment);
            wait := 0;
            FOR i IN 1 .. count LOOP
              SELECT r.free_at INTO free FROM {s}.rates r WHERE r.key = substr(p_keys, 32 * i - 31, 32);
              wait := greatest(wait, least(coalesce(free, answered), answered + numbers[2 * i])
                + numbers[2 * i - 1] - numbers[2 * i] - answered);
            END LOOP;
            -- A refused attempt neither waits nor writes.
            IF wait > 0 THEN RETURN NEXT; RETURN; END IF;
            IF pass = 1 THEN
              FOR i IN 1 .. count LOOP
                name := substr(p_keys, 32 * i - 31, 2);
                \(hold("name"))
              END LOOP;
            END IF;
          END LOOP;
          -- A crash may forget the last attempts, so that nothing has to wait for the disk.
          IF p_lasts = 0 THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
          FOR i IN 1 .. count LOOP
            INSERT INTO {s}.rates AS r (key, free_at)
              VALUES (substr(p_keys, 32 * i - 31, 32), answered + numbers[2 * i - 1])
              ON CONFLICT (key) DO UPDATE SET free_at = excluded.free_at
                + greatest(least(r.free_at, answered + numbers[2 * i] - numbers[2 * i - 1]) - answered, 0);
          END LOOP;
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.reset(p_key bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          DELETE FROM {s}.rates r WHERE r.key = p_key;
          RETURN \(moment);
        END $$;
        """

    /// Creates, finds and ends sessions. What creates or ends sessions of a user holds the user's lock, so that the end of all
    /// sessions sees each one that was created before.
    static let sessions = """
        CREATE OR REPLACE FUNCTION {s}.create_session(
          p_session bytea, p_user bytea, p_name bytea, p_ends bigint, p_idle bigint, p_limit bigint, p_session_key bytea
        ) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          answered bigint;
        BEGIN
          \(hold("p_user"))
          answered := \(moment);
          DELETE FROM {s}.sessions s WHERE s.session = p_session;
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user AND least(s.ends, s.last_use + s.idle) <= answered;
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user AND s.number <= (
            SELECT o.number FROM {s}.sessions o WHERE o.user_key = p_user ORDER BY o.number DESC OFFSET p_limit - 1 LIMIT 1
          );
          INSERT INTO {s}.sessions (session, user_key, user_name, session_key, created, ends, idle, last_use)
            VALUES (p_session, p_user, p_name, p_session_key, answered, answered + p_ends, p_idle, answered);
          RETURN answered;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.user_of(p_session bytea)
        RETURNS TABLE (answered bigint, user_name bytea)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          used bigint;
          step bigint;
        BEGIN
          answered := \(moment);
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
          RETURN \(moment);
        END $$;
        CREATE OR REPLACE FUNCTION {s}.revoke_all(p_user bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          \(hold("p_user"))
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user;
          RETURN \(moment);
        END $$;
        CREATE OR REPLACE FUNCTION {s}.revoke_others(p_user bytea, p_session bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          \(hold("p_user"))
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user AND s.session <> p_session;
          RETURN \(moment);
        END $$;
        CREATE OR REPLACE FUNCTION {s}.sessions_of(p_user bytea)
        RETURNS TABLE (answered bigint, session_key bytea, age bigint, unused bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          present bigint := \(moment);
        BEGIN
          RETURN QUERY SELECT present, s.session_key, present - s.created, present - s.last_use
            FROM (VALUES (1)) one
            LEFT JOIN {s}.sessions s ON s.user_key = p_user AND present < s.ends AND present < s.last_use + s.idle
            ORDER BY s.number DESC;
        END $$;
        """

    /// Reads and advances counters of one-time codes: 8 bytes, which are compared as unsigned numbers.
    static let counters = """
        CREATE OR REPLACE FUNCTION {s}.counter_of(p_account bytea)
        RETURNS TABLE (answered bigint, counter bytea)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          answered := \(moment);
          SELECT c.counter INTO counter FROM {s}.counters c WHERE c.account = p_account;
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.advance(p_account bytea, p_counter bytea)
        RETURNS TABLE (answered bigint, advanced bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          INSERT INTO {s}.counters AS c (account, counter) VALUES (p_account, p_counter)
            ON CONFLICT (account) DO UPDATE SET counter = excluded.counter WHERE c.counter < excluded.counter;
          advanced := CASE WHEN FOUND THEN 1 ELSE 0 END;
          answered := \(moment);
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
          answered := \(moment);
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
