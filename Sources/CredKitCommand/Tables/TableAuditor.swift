// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTerminal

/// Audits a table with several threads, each of which takes the next block of records when it is done with one.
final class TableAuditor: Sendable {
    private struct Source: Sendable {
        var blocks: TableBlocks
        /// A block that was read before the threads started.
        var first: TableBlock?
        var meter: ProgressMeter
        var failure: (any Error)?
    }

    private let source: Lock<Source>
    private let total: Lock<PasswordTableAudit>
    private let fingerprints: AuditFingerprints
    private let fields: HashFieldReader
    private let skipsHeader: Bool
    private let workerCount: Int

    /// The memory for the fingerprints of all workers is limited, so there are not more of them.
    private static let maximumWorkerCount = 8

    /// Creates an auditor for a table whose first block was read already.
    init(
        _ audit: PasswordTableAudit,
        blocks: TableBlocks,
        first: TableBlock?,
        fields: HashFieldReader,
        skipsHeader: Bool,
        temporaryFolder: FileArgument,
        meter: ProgressMeter
    ) {
        source = Lock(Source(blocks: blocks, first: first, meter: meter))
        total = Lock(audit)
        self.fields = fields
        self.skipsHeader = skipsHeader
        workerCount = min(Processors.available, Self.maximumWorkerCount)
        fingerprints = AuditFingerprints(temporaryFolder: temporaryFolder, partCount: workerCount)
    }

    /// Reads the whole table, and returns what it holds.
    func run() throws -> TableFindings {
        let empty = total.withLock { $0 }
        JoinedThreads.run(workerCount) { _ in self.work(empty) }
        source.withLock { $0.meter.finish() }
        if let failure = source.withLock({ $0.failure }) { throw failure }
        let name = source.withLock { $0.blocks.name }
        fields.spannedLines.report(name)
        if let (number, message) = fields.firstCutOffRecord {
            StandardStreams.report("\(name): record \(number): \(message)")
        }
        let sharing = try fingerprints.sharing()
        return TableFindings(
            audit: total.withLock { $0 },
            equalHashes: sharing.hashes,
            sharedSalts: sharing.salts,
            spannedLines: fields.spannedLines
        )
    }

    private func work(_ empty: PasswordTableAudit) {
        var audit = empty
        var sorting = FingerprintSorting()
        do {
            while let block = try nextBlock() {
                try fields.add(block, to: &audit, skippingFirst: skipsHeader && block.firstNumber == 1)
                try fingerprints.writeMany(of: &audit, &sorting)
            }
        } catch {
            source.withLock { $0.failure = $0.failure ?? error }
        }
        fingerprints.keep(of: &audit, &sorting)
        total.withLock { $0.merge(audit) }
    }

    /// Returns the next block; `nil` at the end, and after a failure of any thread.
    private func nextBlock() throws -> TableBlock? {
        try source.withLock { source in
            guard source.failure == nil else { return nil }
            let block = try source.first ?? source.blocks.next()
            source.first = nil
            source.meter.advance(by: block?.bytes.count ?? 0)
            return block
        }
    }
}

/// What a table holds.
struct TableFindings {
    let audit: PasswordTableAudit
    let equalHashes: PasswordTableAudit.Sharing
    let sharedSalts: PasswordTableAudit.Sharing
    let spannedLines: SpannedLines
    /// For a table of a database, the identifiers of the rows that ``PasswordTableAudit/Rows/first`` lists, by their numbers.
    var identifiers: [Int: [UInt8]]?
}
