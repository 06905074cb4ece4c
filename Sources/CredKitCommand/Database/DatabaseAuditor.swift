// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Audits a table of a database, which it reads in one transaction and in bounded memory, and never writes to.
struct DatabaseAuditor {
    private static let pageCount = 1000

    private let table: UpgradedTable
    private let rows: StoredRows
    private let bareHashes: BareHashOptions
    /// The declared algorithm of bare hashes, if it is the same for all rows.
    private let algorithm: PasswordHash.LegacyHexAlgorithm?
    private let fingerprints: AuditFingerprints

    init(
        _ table: UpgradedTable,
        in database: UpgradeDatabase,
        _ bareHashes: BareHashOptions,
        temporaryFolder: FileArgument
    ) throws {
        self.table = table
        self.bareHashes = bareHashes
        rows = StoredRows(of: table, in: database)
        let isConstant = table.saltColumn == nil && !bareHashes.requiresSaltInHash
        algorithm = isConstant ? try bareHashes.algorithm() : nil
        fingerprints = AuditFingerprints(temporaryFolder: temporaryFolder, partCount: 1)
    }

    /// Reads the whole table, and returns what it holds.
    func run(_ empty: PasswordTableAudit) throws -> TableFindings {
        var audit = empty
        var sorting = FingerprintSorting()
        var identifiers: [Int: [UInt8]] = [:]
        var done = 0
        var progress = RowProgress(total: table.estimatedRows)
        defer { progress.finish() }
        let cursor = try rows.readAll()
        while true {
            let page = try rows.next(Self.pageCount, of: cursor)
            for (index, row) in page.enumerated() { add(row, number: done + index + 1, to: &audit) }
            for problem in PasswordTableAudit.Problem.allCases {
                for number in audit.rows(problem).first where number > done {
                    identifiers[number] = page[number - done - 1].id
                }
            }
            done += page.count
            progress.show(done: done)
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

    /// Adds a row as ``HashFieldReader`` adds a record. A text that was cut off is over the limit of any hash; `NULL` is an account
    /// without a hash, as an empty field is.
    private func add(_ row: StoredRow, number: Int, to audit: inout PasswordTableAudit) {
        let hash = row.hash ?? []
        do {
            let lockByteCount = StoredPasswordField(hash.span).lockByteCount
            if table.saltColumn == nil, bareHashes.hasSaltInHash,
                let parts = bareHashes.saltedDigest(in: Array(hash.dropFirst(lockByteCount)))
            {
                let unsalted = Array(hash.prefix(lockByteCount)) + Array(parts.digits.utf8)
                let ownAlgorithm = try bareHashes.algorithm(salt: parts.salt)
                return audit.add(
                    unsalted.span,
                    row: number,
                    bareHexAlgorithm: ownAlgorithm,
                    lockByteCount: lockByteCount
                )
            }
            let ownAlgorithm = try bareHexAlgorithm(of: hash, row.salt)
            audit.add(hash.span, row: number, bareHexAlgorithm: ownAlgorithm)
        } catch {
            audit.addIncomplete(row: number, isComment: false)
        }
    }

    private func bareHexAlgorithm(of hash: [UInt8], _ salt: [UInt8]?) throws
        -> PasswordHash.LegacyHexAlgorithm?
    {
        let stored = StoredPasswordField(hash.span)
        guard table.saltColumn != nil,
            PasswordTableAudit.isBareHex(hash.span.extracting(stored.lockByteCount...))
                || bareHashes.isAmbiguous(stored)
        else { return algorithm }
        guard let salt else { throw HashColumn.Problem.nullSalt }
        return try bareHashes.algorithm(salt: salt)
    }
}
