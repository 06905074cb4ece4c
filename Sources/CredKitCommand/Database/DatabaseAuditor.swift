// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Audits a table of a database, which it reads in one transaction and in bounded memory, and never writes to.
struct DatabaseAuditor {
    private static let pageCount = 1000

    private let table: UpgradedTable
    private let rows: StoredRows
    private let hashes: AuditedHash
    private let fingerprints: AuditFingerprints

    init(
        _ table: UpgradedTable,
        in database: UpgradeDatabase,
        _ bareHashes: BareHashOptions,
        temporaryFolder: FileArgument
    ) throws {
        self.table = table
        hashes = try AuditedHash(bareHashes, hasSaltColumn: table.saltColumn != nil)
        rows = StoredRows(of: table, in: database)
        fingerprints = AuditFingerprints(temporaryFolder: temporaryFolder, partCount: 1)
    }

    /// Reads the whole table, and returns what it holds.
    func run(_ empty: PasswordTableAudit) throws -> TableFindings {
        var audit = empty
        var sorting = FingerprintSorting()
        var identifiers: [Int: [UInt8]] = [:]
        var done = 0
        var meter = ProgressMeter(rowsOf: table)
        defer { meter.finish() }
        let cursor = try rows.readAll()
        while true {
            let page = try rows.next(Self.pageCount, of: cursor)
            for (index, row) in page.enumerated() { try add(row, number: done + index + 1, to: &audit) }
            for problem in PasswordTableAudit.Problem.allCases {
                for number in audit.rows(problem).first where number > done {
                    identifiers[number] = page[number - done - 1].id
                }
            }
            done += page.count
            meter.show(done, of: table.estimatedRows)
            guard page.count == Self.pageCount else { break }
            try fingerprints.writeMany(of: &audit, &sorting)
        }
        fingerprints.keep(of: &audit, &sorting)
        let sharing = try fingerprints.sharing()
        return TableFindings(
            audit: audit,
            equalHashes: sharing.hashes,
            sharedSalts: sharing.salts,
            spannedLines: SpannedLines(),
            identifiers: identifiers
        )
    }

    /// Adds a row. `NULL` is an account without a hash, as an empty field is. A text that was not read to its end is longer than
    /// any hash, and may have one behind its lock mark: ``HashUpgrader`` reports it, too.
    private func add(_ row: StoredRow, number: Int, to audit: inout PasswordTableAudit) throws {
        let hash = row.hash ?? []
        guard hash.count <= UpgradeStatements.maximumLength else { return audit.addOverLimit(row: number) }
        try hashes.add(hash, row: number, to: &audit) {
            guard table.saltColumn != nil else { return nil }
            guard let salt = row.salt else { throw HashColumn.Problem.nullSalt }
            return salt
        }
    }
}
