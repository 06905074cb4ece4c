// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// A table whose name could become that of another one: each statement that uses the name asks whether it still is that of this
/// table.
struct BoundTable: Sendable {
    /// The name, with the schema.
    let name: SQLName
    /// PostgreSQL's number of the table.
    let objectID: Int64
    /// PostgreSQL's number of its owner.
    let owner: Int64

    /// Statements that fail unless the name still is that of this table, and keep it so until the transaction ends. A role that may
    /// create tables could otherwise put one with triggers in the place of one that was renamed.
    var conditions: [(text: String, parameters: [SQLValue])] { conditions(writing: false) }

    /// The same conditions before a change of rows, which runs the triggers of the table.
    var conditionsOfChange: [(text: String, parameters: [SQLValue])] { conditions(writing: true) }

    private func conditions(writing isWriting: Bool) -> [(text: String, parameters: [SQLValue])] {
        // One that a broken transaction leaves behind in a pool of connections must not be in the way.
        let lock = "credkit_\(UInt64.random(in: 0 ... .max))"
        // Locks what has the name, without rights and without running anything of it; a change also keeps new triggers out.
        let statement = isWriting ? "DELETE FROM \(name.quoted)" : "SELECT FROM \(name.quoted)"
        let triggers = isWriting ? " AND \(TrustedOwner.trustsTriggers(ofTable: "c.oid"))" : ""
        return [
            ("PREPARE \(lock) AS \(statement)", []),
            ("DEALLOCATE \(lock)", []),
            // Fails with a division by zero.
            (
                """
                SELECT 1 / count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                WHERE n.nspname = $1::text AND c.relname = $2::text AND c.oid = $3::bigint::oid AND c.relowner = $4::bigint::oid \
                AND \(TrustedOwner.isTrusted("n.nspowner", ofTable: "c.oid"))\(triggers)
                """,
                [.text(name.schema ?? ""), .text(name.table), .integer(objectID), .integer(owner)]
            ),
        ]
    }

    /// Returns what an error of a statement with the conditions means: a trigger of the table can cause the same ones.
    func meaning(of error: any Error, in database: UpgradeDatabase) -> any Error {
        let codes: Set = ["22012", "42P01"]
        guard codes.contains((error as? SharedStateError)?.sqlState ?? "") else { return error }
        do {
            try database.rows("SELECT 1::bigint", conditions: conditionsOfChange)
            return error
        } catch let again {
            guard codes.contains((again as? SharedStateError)?.sqlState ?? "") else { return error }
        }
        return CommandFailure(
            .tryAgain,
            "the table \(UpgradedTable.shown(name)) was renamed, exchanged for another one or has another trigger now; run the command "
                + "again when it is as it was"
        )
    }
}
