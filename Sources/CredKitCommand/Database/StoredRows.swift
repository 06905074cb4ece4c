// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitServer
import CredKitTerminal

/// Reads and changes the rows of a table in a database.
struct StoredRows: Sendable {
    /// A new hash for a row.
    struct Change: Sendable {
        let row: StoredRow
        let hash: [UInt8]
        let outcome: HashUpgrader.Outcome
    }

    /// What became of changes.
    struct Written {
        var done: [Change] = []
        /// The changes that a trigger altered, undid or left out.
        var altered: [Change] = []
        /// The rows whose hash is no longer the one that was read, or that are gone.
        var changedMeanwhile = 0
        /// The changes of rows that another transaction has locked.
        var locked: [Change] = []
    }

    /// The number of rows in one transaction. Their logins wait until it ends.
    static let rowsPerTransaction = 100

    let database: UpgradeDatabase
    let statements: UpgradeStatements
    private let table: BoundTable

    init(of table: UpgradedTable, in database: UpgradeDatabase) {
        self.database = database
        self.table = table.table
        statements = UpgradeStatements(table)
    }

    /// Reads rows in the order of their identifiers.
    func read(after low: [UInt8]?, through high: [UInt8]?, limit: Int) throws -> [StoredRow] {
        let bounds = [low, high].compactMap { $0 }.map { SQLValue.bytes($0) }
        let text = statements.read(hasLowerBound: low != nil, hasUpperBound: high != nil)
        return try rows(text, [.integer(Int64(limit))] + bounds).compactMap(StoredRow.init)
    }

    /// Begins to read all rows in the order of their identifiers, as they are now, without a right to change anything.
    func readAll() throws -> PostgreSQLCursor {
        do {
            return try database.cursor(statements.readAll, conditions: table.conditions)
        } catch {
            throw table.meaning(of: error, in: database, isReading: true)
        }
    }

    /// Returns the next rows; fewer than `count` at the end.
    func next(_ count: Int, of cursor: PostgreSQLCursor) throws -> [StoredRow] {
        let page = try database.next(count, of: cursor)
        let rows = page.compactMap(StoredRow.init)
        guard rows.count == page.count else {
            throw CommandFailure(
                .tryAgain,
                "\(UpgradedTable.shown(table.name)): an identifier is NULL now; run the command again"
            )
        }
        return rows
    }

    private func rows(_ text: String, _ parameters: [SQLValue], isPinned: Bool = true) throws -> [UpgradeRow]
    {
        do {
            // Only the change runs with the search path of the role.
            let conditions = isPinned ? table.conditions : table.conditionsOfChange
            return try database.rows(text, parameters, conditions: conditions, isPinned: isPinned)
        } catch {
            throw table.meaning(of: error, in: database)
        }
    }

    /// Replaces hashes that are still those that were read, and waits for no other transaction.
    func write(_ changes: some Collection<Change>) throws -> Written {
        let answer = try rows(
            statements.replace,
            [
                .byteArray(changes.map(\.row.id)), .byteArray(changes.map { $0.row.hash ?? [] }),
                .byteArray(changes.map(\.hash)),
            ],
            isPinned: false
        )
        let stored = Dictionary(
            answer.compactMap { row in row.bytes(0).map { ($0, row.flag(1)) } },
            uniquingKeysWith: { $0 && $1 }
        )
        var written = Written()
        // Triggers that run after the change, up to its commit, can put back the hash that was read.
        let again = try rows(statements.readAgain, [.byteArray(changes.map(\.row.id))])
        let hashes = Dictionary(
            again.compactMap(StoredRow.init).map { ($0.id, $0.hash) },
            uniquingKeysWith: { first, _ in first }
        )
        for change in changes {
            let isUnchanged = hashes[change.row.id] == .some(change.row.hash)
            switch stored[change.row.id] {
            case true? where hashes[change.row.id] == .some(change.hash): written.done.append(change)
            case true? where isUnchanged: written.altered.append(change)
            case false?: written.altered.append(change)
            case nil where isUnchanged: written.locked.append(change)
            // Such as by a login, after the commit.
            default: written.changedMeanwhile += 1
            }
        }
        return written
    }
}

/// A row of a table in a database, as it was read.
struct StoredRow: Sendable {
    /// The identifier as a text.
    let id: [UInt8]
    /// The stored text; `nil` for `NULL`.
    let hash: [UInt8]?
    let salt: [UInt8]?

    init?(_ row: UpgradeRow) {
        guard let id = row.bytes(0) else { return nil }
        self.id = id
        hash = row.bytes(1)
        salt = row.bytes(2)
    }

    /// Returns an identifier for messages. It can be of any length.
    static func shown(id: [UInt8]) -> String {
        ShellQuoting.quote(Array(id.prefix(100))) + (id.count > 100 ? "…" : "")
    }
}

extension HashUpgrader {
    /// Returns what is to be done with a row of a database, without computing a hash.
    func decide(_ row: StoredRow, hasSalts: Bool) throws -> Decision {
        guard let hash = row.hash else { return .keep(.withoutPassword) }
        guard hash.count <= UpgradeStatements.maximumLength else {
            return .problem(
                UpgradeRemark(
                    kind: UpgradeRemark.overLimit,
                    reason: "the stored text is longer than any hash"
                )
            )
        }
        return try decide(hash, in: nil) {
            guard hasSalts else { return nil }
            guard let salt = row.salt else { throw HashColumn.Problem.nullSalt }
            return salt
        }
    }
}

extension SQLValue {
    /// A parameter that a statement reads with `::text::bytea[]`.
    static func byteArray(_ elements: [[UInt8]]) -> SQLValue {
        var text = Array("{".utf8)
        text.reserveCapacity(elements.reduce(2) { $0 + $1.count * 2 + 6 })
        for (index, element) in elements.enumerated() {
            text += Array((index == 0 ? "" : ",").utf8) + Array("\"\\\\x\(Hex.encode(element))\"".utf8)
        }
        return .text(String(decoding: text + [UInt8(ascii: "}")], as: UTF8.self))
    }
}
