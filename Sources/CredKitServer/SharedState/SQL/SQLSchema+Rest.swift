// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
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
