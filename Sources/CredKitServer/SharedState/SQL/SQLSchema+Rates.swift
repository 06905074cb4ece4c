// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
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
}
