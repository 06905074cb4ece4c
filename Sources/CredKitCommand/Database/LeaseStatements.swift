// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// The statements of a table of leases.
///
/// The row with the slot 0 has the identifier up to which rows were claimed, in `high`. Each other row is a range of
/// identifiers, after `low` and up to `high`, that a worker has claimed. It is deleted when its rows are done. All times are the
/// server's.
struct LeaseStatements: Sendable {
    private let leases: String
    private let rows: UpgradeStatements

    init(leases: SQLName, rows: UpgradeStatements) {
        self.leases = leases.quoted
        self.rows = rows
    }

    var create: String {
        """
        CREATE TABLE IF NOT EXISTS \(leases) (slot bigint PRIMARY KEY, low text, high text, worker text, \
        expires timestamptz, ranges bigint, done bigint, finished boolean, options text)
        """
    }

    /// Takes all rights on the table from all but its owner. With TRIGGER, others would run code as this role; with UPDATE, they
    /// could end the upgrade.
    var revoke: String {
        block(
            """
            DECLARE other text; BEGIN FOR other IN SELECT DISTINCT CASE g.grantee WHEN 0 THEN 'PUBLIC' \
            ELSE quote_ident(pg_get_userbyid(g.grantee)) END FROM pg_class c, aclexplode(c.relacl) g \
            WHERE c.oid = \(Self.literal(leases))::regclass AND g.grantee <> c.relowner LOOP \
            EXECUTE 'REVOKE ALL ON ' || \(Self.literal(leases)) || ' FROM ' || other; END LOOP; END;
            """
        )
    }

    private static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    /// Adds the row of slot 0, with the options in `$1`.
    var begin: String {
        """
        INSERT INTO \(leases) (slot, ranges, done, finished, options) VALUES (0, 0, 0, false, $1::text) \
        ON CONFLICT DO NOTHING
        """
    }

    var options: String { "SELECT options FROM \(leases) WHERE slot = 0" }

    private var lease: String {
        "slot, \(UpgradeStatements.bytes("low")), \(UpgradeStatements.bytes("high"))"
    }

    private let expiry = "clock_timestamp() + make_interval(secs => $2::bigint::double precision)"

    /// Claims the next rows for the worker `$1`, for `$2` seconds, at most `$3` rows.
    var claim: String {
        """
        WITH head AS (UPDATE \(leases) AS h SET low = h.high, ranges = h.ranges + 1, (high, finished) = \
        (SELECT n.id::text, n.id IS NULL FROM \
        (SELECT \(rows.lastIdentifier(after: "h.high", limit: "$3::bigint")) AS id) n) \
        WHERE h.slot = 0 AND NOT h.finished RETURNING h.ranges, h.low, h.high, h.finished) \
        INSERT INTO \(leases) (slot, low, high, worker, expires) \
        SELECT ranges, low, high, $1::text, \(expiry) FROM head WHERE NOT finished RETURNING \(lease)
        """
    }

    /// Claims a range whose lease has expired, for the worker `$1` and `$2` seconds.
    var takeOver: String {
        """
        UPDATE \(leases) SET worker = $1::text, expires = \(expiry) WHERE slot = \
        (SELECT slot FROM \(leases) WHERE slot > 0 AND expires <= clock_timestamp() ORDER BY slot LIMIT 1 \
        FOR UPDATE SKIP LOCKED) RETURNING \(lease)
        """
    }

    /// Extends the lease of the slot `$3`.
    var renew: String {
        "UPDATE \(leases) SET expires = \(expiry) WHERE slot = $3::bigint AND worker = $1::text RETURNING slot"
    }

    /// Ends the lease of the slot `$2`, whose `$3` rows are done. Returns how many rows are done in all.
    var finish: String {
        """
        WITH ended AS (DELETE FROM \(leases) WHERE slot = $2::bigint AND worker = $1::text RETURNING slot) \
        UPDATE \(leases) SET done = done + $3::bigint WHERE slot = 0 AND EXISTS (SELECT FROM ended) RETURNING done
        """
    }

    /// Lets other workers take over the ranges of the worker `$1`.
    var release: String {
        "UPDATE \(leases) SET expires = clock_timestamp() WHERE slot > 0 AND worker = $1::text"
    }

    /// Returns whether all rows were claimed, and how many ranges are not done.
    var remaining: String {
        """
        SELECT (SELECT finished::int::bigint FROM \(leases) WHERE slot = 0), \
        (SELECT count(*) FROM \(leases) WHERE slot > 0)
        """
    }

    /// Drops the table, which is locked, if all rows are done.
    var remove: String {
        block(
            "IF EXISTS (SELECT FROM \(leases) WHERE slot = 0 AND finished) "
                + "AND NOT EXISTS (SELECT FROM \(leases) WHERE slot > 0) THEN DROP TABLE \(leases); END IF;"
        )
    }

    /// Keeps the name from becoming another table's until the transaction ends, unless the schema is renamed, whose owner is
    /// trusted; and triggers from being created.
    func lock(exclusively isExclusive: Bool) -> String {
        block("LOCK TABLE \(leases) IN \(isExclusive ? "ACCESS" : "ROW") EXCLUSIVE MODE;")
    }

    private func block(_ body: String) -> String {
        var tag = "credkit"
        while body.contains(tag) { tag += "_" }
        return "DO $\(tag)$ BEGIN \(body) END $\(tag)$"
    }
}
