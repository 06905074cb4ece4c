// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
    /// The tables. Challenges are `UNLOGGED`: a crash loses them.
    static let tables = """
        CREATE TABLE IF NOT EXISTS {s}.version (
          one boolean PRIMARY KEY DEFAULT true CHECK (one),
          version integer NOT NULL
        );
        CREATE TABLE IF NOT EXISTS {s}.epoch (
          one boolean PRIMARY KEY DEFAULT true CHECK (one),
          history text NOT NULL,
          since bigint NOT NULL
        );
        CREATE TABLE IF NOT EXISTS {s}.replays (
          key bytea PRIMARY KEY,
          account bytea NOT NULL,
          counts_until bigint NOT NULL,
          kept_until bigint NOT NULL
        );
        CREATE INDEX IF NOT EXISTS replays_account ON {s}.replays (account, counts_until);
        CREATE INDEX IF NOT EXISTS replays_kept_until ON {s}.replays (kept_until);
        CREATE TABLE IF NOT EXISTS {s}.rates (
          key bytea PRIMARY KEY,
          free_at bigint NOT NULL
        );
        CREATE INDEX IF NOT EXISTS rates_free_at ON {s}.rates (free_at);
        CREATE UNLOGGED TABLE IF NOT EXISTS {s}.challenges (
          number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          client bytea NOT NULL,
          challenge bytea NOT NULL,
          ends bigint NOT NULL
        );
        CREATE INDEX IF NOT EXISTS challenges_client ON {s}.challenges (client, number);
        CREATE INDEX IF NOT EXISTS challenges_ends ON {s}.challenges (ends);
        CREATE TABLE IF NOT EXISTS {s}.sessions (
          session bytea PRIMARY KEY,
          number bigint GENERATED ALWAYS AS IDENTITY,
          user_key bytea NOT NULL,
          user_name bytea NOT NULL,
          session_key bytea NOT NULL,
          created bigint NOT NULL,
          ends bigint NOT NULL,
          idle bigint NOT NULL,
          last_use bigint NOT NULL
        );
        CREATE INDEX IF NOT EXISTS sessions_user ON {s}.sessions (user_key, number);
        CREATE INDEX IF NOT EXISTS sessions_ends ON {s}.sessions (least(ends, last_use + idle));
        CREATE TABLE IF NOT EXISTS {s}.counters (
          account bytea PRIMARY KEY,
          counter bytea NOT NULL CHECK (length(counter) = 8)
        );
        CREATE TABLE IF NOT EXISTS {s}.passkey_users (
          account bytea PRIMARY KEY,
          name bytea NOT NULL,
          handle bytea NOT NULL UNIQUE,
          required boolean NOT NULL DEFAULT false
        );
        CREATE TABLE IF NOT EXISTS {s}.passkeys (
          id bytea PRIMARY KEY,
          number bigint GENERATED ALWAYS AS IDENTITY,
          handle bytea NOT NULL,
          public_key bytea NOT NULL,
          label bytea NOT NULL,
          sign_count bigint NOT NULL,
          flags bigint NOT NULL,
          transports bytea NOT NULL,
          aaguid bytea NOT NULL,
          created bigint NOT NULL,
          last_use bigint
        );
        CREATE INDEX IF NOT EXISTS passkeys_handle ON {s}.passkeys (handle, number);
        """

    /// Rows to lock, each for the names whose first bytes give its number. Advisory locks would be anyone's: each role can take
    /// those that it sees in `pg_locks`. A crash empties the table, which is filled again as its rows are missed.
    static let locks = """
        CREATE UNLOGGED TABLE IF NOT EXISTS {s}.locks (slot integer PRIMARY KEY);
        INSERT INTO {s}.locks SELECT generate_series(0, 4095) ON CONFLICT DO NOTHING;
        CREATE OR REPLACE FUNCTION {s}.hold_missing(p_slot integer) RETURNS void
        LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          INSERT INTO {s}.locks (slot) VALUES (p_slot) ON CONFLICT DO NOTHING;
          PERFORM FROM {s}.locks l WHERE l.slot = p_slot FOR UPDATE;
        END $$;
        """

    /// The statements that wait for other transactions that hold the row of a name. A later statement sees what they have
    /// committed. To hold several rows, take them in order. A row that does not change is given to those who wait for it in their
    /// order; one that does would wake all of them at each change, and a hot one would then take five times as long.
    ///
    /// They stand in each function, as the time does: PostgreSQL calls a function in SQL with a search path of its own as it is,
    /// and plans it anew for each transaction.
    ///
    /// - Parameter name: An expression of at least two bytes.
    /// - Returns: The statements.
    static func hold(_ name: String) -> String {
        let slot = "get_byte(\(name), 0) * 16 + get_byte(\(name), 1) / 16"
        return "PERFORM FROM {s}.locks l WHERE l.slot = \(slot) FOR UPDATE; "
            + "IF NOT FOUND THEN PERFORM {s}.hold_missing(\(slot)); END IF;"
    }

    /// The time in microseconds, as an expression.
    static let moment = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    /// A name of the history of this server. A standby that is promoted and a restored backup begin another one, and so
    /// does a table that was restored from a dump or truncated. So does each start, which also tells servers apart: an old
    /// primary that is started again lacks what the new one has accepted.
    static let history = """
        CREATE OR REPLACE FUNCTION {s}.history() RETURNS text
        LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          RETURN concat_ws(' ', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), extract(epoch FROM pg_postmaster_start_time()),
            '{s}.replays'::regclass::oid, pg_relation_filenode('{s}.replays'));
        END $$;
        """
}
