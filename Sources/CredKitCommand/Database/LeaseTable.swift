// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// The table by which the workers of an upgrade share its rows.
///
/// It is in the schema `credkit` if there is one that can be trusted and is not that of a server's state, where nothing else may
/// be; or else beside the upgraded table. It is named after that table's number: `credkit_upgrade_16385`. The worker that ends the last range drops it.
struct LeaseTable: Sendable {
    /// Rows that this worker has claimed.
    struct Lease: Sendable {
        let slot: Int64
        /// The identifier before the first row; `nil` for the beginning of the table.
        let low: [UInt8]?
        let high: [UInt8]
    }

    let name: SQLName
    private let database: UpgradeDatabase
    private let statements: LeaseStatements
    private let worker: String
    private let seconds: Int
    private let rowCount: Int
    private let upgraded: UpgradedTable

    /// Opens the table, and creates it if there is none.
    ///
    /// - Parameters:
    ///   - table: The table to upgrade.
    ///   - options: What all workers must agree on.
    ///   - seconds: The time after which a lease expires.
    ///   - rowCount: The number of rows to claim at once.
    ///   - database: The database.
    /// - Throws: A `CommandFailure` if the table is another role's or was begun with other options, and errors of the database.
    init(
        for table: UpgradedTable,
        options: String,
        seconds: Int,
        rowCount: Int,
        in database: UpgradeDatabase
    ) throws {
        let shared = try database.rows(Self.schemaStatement, [.integer(table.objectID)]).first
        if let shared, !shared.flag(0) {
            StandardStreams.report("the schema credkit belongs to another role, and is not used")
        }
        name = SQLName(
            schema: shared?.flag(0) == true && shared?.flag(1) == false ? "credkit" : table.name.schema,
            table: "credkit_upgrade_\(table.objectID)"
        )
        self.database = database
        self.seconds = seconds
        self.rowCount = rowCount
        statements = LeaseStatements(leases: name, rows: UpgradeStatements(table))
        worker = Hex.encode((0..<16).map { _ in UInt8.random(in: 0...255) })
        upgraded = table
        try open(options)
    }

    private func open(_ options: String) throws {
        // The last worker of an earlier run may drop the table meanwhile, and another one may create it.
        for attempt in 0..<Self.openingCount {
            do {
                if try !exists() {
                    try refuseAssumedRole()
                    // No one else may see it before the rights of others are gone, which defaults of the schema may give.
                    try database.rows(
                        statements.revoke,
                        conditions: [SQLStatement.Condition(statements.create)]
                    )
                }
                guard try exists() else { continue }
                try run(statements.begin, [.text(options)])
                guard let begun = try run(statements.options, []).first?.text(0) else { continue }
                guard begun == options else {
                    throw CommandFailure(
                        .malformed,
                        "an upgrade of this table was begun with other options; use the same ones, or drop the table "
                            + "\(UpgradedTable.shown(name)) when no worker runs (begun: \(begun); now: \(options))"
                    )
                }
                return
            } catch  where attempt < Self.openingCount - 1 && Self.isGoneOrThere(error) {
                continue
            }
        }
        throw CommandFailure(
            .tryAgain,
            "the table \(UpgradedTable.shown(name)) is removed again and again, or not one of this command; drop it when no worker "
                + "runs"
        )
    }

    /// Throws if the session acts as another role than the one that logged in, whose table would not be trusted.
    private func refuseAssumedRole() throws {
        let row = try database.rows(
            """
            SELECT (current_user = session_user OR current_user = (SELECT pg_catalog.pg_get_userbyid(c.relowner) \
            FROM pg_catalog.pg_class c WHERE c.oid = $1::bigint::oid))::int::bigint
            """,
            [.integer(upgraded.objectID)]
        )
        guard row.first?.flag(0) == true else {
            throw CommandFailure(
                .refused,
                "the session acts as another role than the one that logged in, by a setting; log in as the role that is to upgrade"
            )
        }
    }

    /// How often to open the table, which other workers may remove and create at the same time.
    private static let openingCount = 10

    /// Returns whether the table exists. Throws if another role owns it, who could run triggers with this role's rights.
    private func exists() throws -> Bool {
        let found = try database.rows(
            "SELECT \(Self.isOwn)::int::bigint \(Self.entry)",
            entryParameters,
            conditions: [TrustedOwner.preparation]
        )
        guard let row = found.first else { return false }
        guard row.flag(0) else {
            throw CommandFailure(
                .refused,
                "the table \(UpgradedTable.shown(name)) belongs to another role; run all workers as one role, or drop the table"
            )
        }
        return true
    }

    /// Whether the schema belongs to this role, the table's owner or a superuser. The owner of a schema can replace each table in
    /// it, and a trigger of such a table would run with this role's rights.
    private static let schemaStatement = """
        SELECT (\(TrustedOwner.isTrusted("n.nspowner", ofTable: "$1::bigint::oid")))::int::bigint, \
        EXISTS (SELECT FROM pg_catalog.pg_class s WHERE s.relnamespace = n.oid AND s.relname = 'version')::int::bigint \
        FROM pg_catalog.pg_namespace n WHERE n.nspname = 'credkit'
        """

    private static let isOwn = """
        (c.relkind = 'r' AND (c.relowner = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user) \
        OR c.relowner = (SELECT relowner FROM pg_catalog.pg_class WHERE oid = $3::bigint::oid)) \
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid) \
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_rewrite g WHERE g.ev_class = c.oid) \
        AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) g WHERE g.grantee <> c.relowner) \
        AND \(TrustedOwner.trustsCode(ofTable: "c.oid", withTriggers: false)))
        """
    private static let entry = """
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = $1::text AND c.relname = $2::text
        """
    private var entryParameters: [SQLValue] {
        [.text(name.schema ?? ""), .text(name.table), .integer(upgraded.objectID)]
    }

    /// Whether another worker removed the table, or created it first: then PostgreSQL finds the relation, its type, or the same
    /// entry of an index, as the other one commits before, during or after its look.
    private static func isGoneOrThere(_ error: any Error) -> Bool {
        ["42P01", "42P07", "42710", "23505"].contains((error as? SharedStateError)?.sqlState)
    }

    /// Runs a statement if the name is still that of a table of ours: another worker may have dropped it, and another role have
    /// created one of its own with triggers.
    @discardableResult
    private func run(
        _ text: String,
        _ parameters: [SQLValue],
        exclusively: Bool = false,
        conditions: [SQLStatement.Condition] = []
    ) throws -> [UpgradeRow] {
        do {
            return try database.rows(
                text,
                parameters,
                conditions: [
                    SQLStatement.Condition(statements.lock(exclusively: exclusively)),
                    TrustedOwner.preparation,
                    // Fails with a division by zero.
                    SQLStatement.Condition(
                        "SELECT 1 / count(*) \(Self.entry) AND \(Self.isOwn)",
                        entryParameters
                    ),
                ] + conditions
            )
        } catch let error as SharedStateError where error.sqlState == "22012" {
            throw CommandFailure(
                .refused,
                "the table \(UpgradedTable.shown(name)) belongs to another role now, or \(upgraded.shown) was exchanged for another "
                    + "table; drop the former, look at the latter, and run the command again"
            )
        }
    }

    /// Runs a statement; returns `nil` if the table is gone, which means that all rows are done.
    private func rows(_ text: String, _ parameters: [SQLValue], readsTable: Bool = false) throws
        -> [UpgradeRow]?
    {
        do {
            return try run(text, parameters, conditions: readsTable ? upgraded.table.conditions : [])
        } catch let error as SharedStateError where error.sqlState == "42P01" {
            // Or it is the upgraded table that has another name.
            if readsTable, try exists() { throw upgraded.table.meaning(of: error, in: database) }
            return nil
        }
    }

    /// Claims rows: the next ones, or those of a worker that has stopped answering. Returns `nil` if there are none now.
    func claim() throws -> Lease? {
        let time = SQLValue.integer(Int64(seconds))
        for (text, further) in [
            (statements.claim, [SQLValue.integer(Int64(rowCount))]), (statements.takeOver, []),
        ] {
            let row = try rows(text, [.text(worker), time] + further, readsTable: !further.isEmpty)?.first
            if let row, let slot = row.integer(0), let high = row.bytes(2) {
                return Lease(slot: slot, low: row.bytes(1), high: high)
            }
        }
        return nil
    }

    /// Returns whether the rows of all workers are done.
    func isComplete() throws -> Bool {
        guard let row = try rows(statements.remaining, [])?.first else { return true }
        return row.flag(0) && !row.flag(1)
    }

    /// Extends a lease. Returns `false` if another worker has taken it over.
    func renew(_ lease: Lease) throws -> Bool {
        let parameters: [SQLValue] = [.text(worker), .integer(Int64(seconds)), .integer(lease.slot)]
        return try rows(statements.renew, parameters)?.isEmpty == false
    }

    /// Ends a lease. Returns how many rows are done in all; `nil` if another worker has taken it over.
    func finish(_ lease: Lease, rowCount: Int) throws -> Int? {
        let parameters: [SQLValue] = [.text(worker), .integer(lease.slot), .integer(Int64(rowCount))]
        return try rows(statements.finish, parameters)?.first?.integer(0).map { Int($0) }
    }

    /// Lets other workers take over the rows of this one at once, unless an error shows that the server does not answer.
    func release(after failure: (any Error)?) {
        let code = (failure as? SharedStateError)?.code
        guard code != .disconnected, code != .timedOut else { return }
        _ = try? run(statements.release, [.text(worker)])
    }

    /// Drops the table if all rows are done. It stays if this role does not own it, and does no harm.
    func remove() { _ = try? run(statements.remove, [], exclusively: true) }
}
