// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
    /// The counts of logins by each mechanism. What changes accounts of a mechanism holds its row, so that they are counted once.
    /// Names of accounts may be too long for an index. Times are whole seconds, except for what is answered.
    static let mechanisms = """
        CREATE TABLE IF NOT EXISTS {s}.mechanisms (
          mechanism bytea PRIMARY KEY,
          logins bigint NOT NULL,
          accounts bigint NOT NULL,
          last_use bigint NOT NULL
        );
        CREATE TABLE IF NOT EXISTS {s}.mechanism_accounts (
          mechanism bytea NOT NULL,
          key bytea NOT NULL,
          account bytea NOT NULL,
          last_use bigint NOT NULL,
          PRIMARY KEY (mechanism, key)
        );
        CREATE INDEX IF NOT EXISTS mechanism_accounts_last_use
          ON {s}.mechanism_accounts (mechanism, last_use, key);
        -- Of each account, the numbers are the bytes of its name and the time. A time that has not come yet is taken for now,
        -- since no later login could replace it.
        CREATE OR REPLACE FUNCTION {s}.add_mechanism_use(
          p_mechanism bytea, p_logins bigint, p_last_use bigint, p_names bytea, p_numbers text
        ) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          numbers bigint[] := string_to_array(p_numbers, ',')::bigint[];
          answered bigint := {s}.moment();
          present bigint := answered / 1000000;
          added bigint;
        BEGIN
          INSERT INTO {s}.mechanisms AS m (mechanism, logins, accounts, last_use)
            VALUES (p_mechanism, p_logins, 0, least(p_last_use, present))
            ON CONFLICT (mechanism) DO UPDATE SET logins = m.logins + excluded.logins,
              last_use = greatest(m.last_use, excluded.last_use);
          WITH uses AS (
            SELECT substr(p_names, (1 + sum(numbers[2 * i - 1]) OVER (ORDER BY i) - numbers[2 * i - 1])::integer,
              numbers[2 * i - 1]::integer) AS account, least(numbers[2 * i], present) AS last_use
            FROM generate_series(1, coalesce(array_length(numbers, 1), 0) / 2) i
          ), stored AS (
            INSERT INTO {s}.mechanism_accounts AS a (mechanism, key, account, last_use)
              SELECT p_mechanism, sha256(u.account), u.account, max(u.last_use) FROM uses u GROUP BY u.account
              ON CONFLICT (mechanism, key) DO UPDATE SET last_use = excluded.last_use
              WHERE a.last_use < excluded.last_use
              RETURNING a.xmax = 0 AS is_new
          )
          SELECT count(*) INTO added FROM stored WHERE stored.is_new;
          UPDATE {s}.mechanisms m SET accounts = m.accounts + added WHERE m.mechanism = p_mechanism AND added > 0;
          RETURN answered;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.mechanism_counts()
        RETURNS TABLE (answered bigint, mechanism bytea, logins bigint, accounts bigint, last_use bigint)
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
          SELECT n.answered, m.mechanism, m.logins, m.accounts, m.last_use
          FROM (SELECT {s}.moment() AS answered OFFSET 0) n LEFT JOIN {s}.mechanisms m ON true
        $$;
        -- A page of the accounts that come after a time and a key.
        CREATE OR REPLACE FUNCTION {s}.accounts_using(p_mechanism bytea, p_time bigint, p_key bytea, p_limit bigint)
        RETURNS TABLE (answered bigint, account bytea, last_use bigint, key bytea)
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
          SELECT n.answered, a.account, a.last_use, a.key
          FROM (SELECT {s}.moment() AS answered OFFSET 0) n
          LEFT JOIN LATERAL (
            SELECT m.account, m.last_use, m.key FROM {s}.mechanism_accounts m
            WHERE m.mechanism = p_mechanism AND (m.last_use, m.key) > (p_time, p_key)
            ORDER BY m.last_use, m.key LIMIT p_limit
          ) a ON true
          ORDER BY a.last_use, a.key
        $$;
        CREATE OR REPLACE FUNCTION {s}.purge_mechanism_use(p_batch bigint, p_now bigint, p_retention bigint)
        RETURNS TABLE (answered bigint, removed bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          name bytea;
          gone bigint;
          oldest bigint;
        BEGIN
          answered := {s}.moment();
          removed := 0;
          -- A clock that is ahead must not make anything forgotten.
          oldest := (least(answered, p_now) - p_retention) / 1000000;
          FOR name IN SELECT m.mechanism FROM {s}.mechanisms m FOR UPDATE SKIP LOCKED LOOP
            DELETE FROM {s}.mechanism_accounts a WHERE a.mechanism = name AND a.key IN (
              SELECT o.key FROM {s}.mechanism_accounts o WHERE o.mechanism = name AND o.last_use < oldest
              LIMIT p_batch - removed);
            GET DIAGNOSTICS gone = ROW_COUNT; removed := removed + gone;
            UPDATE {s}.mechanisms m SET accounts = m.accounts - gone WHERE m.mechanism = name AND gone > 0;
          END LOOP;
          RETURN NEXT;
        END $$;
        """
}
