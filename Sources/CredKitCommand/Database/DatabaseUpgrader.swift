// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTerminal
import Glibc

/// Upgrades the rows of a table in a database, which any number of other processes do at the same time.
struct DatabaseUpgrader: Sendable {
    /// The number of leases at a time: the rows of one are read and written while those of the other are hashed.
    private static let laneCount = 2
    private static let pageCount = 1000
    /// How long a row may stay locked by another transaction.
    private static let lockedTime = Duration.seconds(10)

    let table: UpgradedTable
    let rows: StoredRows
    let hashes: HashUpgrader
    let pool: ReplacementPool
    let tally: UpgradeTally

    init(
        _ table: UpgradedTable,
        in database: UpgradeDatabase,
        _ hashes: HashUpgrader,
        workerCount: Int,
        tally: UpgradeTally
    ) {
        self.table = table
        self.hashes = hashes
        self.tally = tally
        rows = StoredRows(of: table, in: database)
        pool = ReplacementPool(hashes.target, workerCount: workerCount)
    }

    /// Refuses a table whose first rows show that an option is missing, before anything is written. Nothing keeps the old hashes
    /// of a table that is changed in place.
    func checkFirstRows(allowsIncompatible: Bool) throws {
        var undeclared = UndeclaredHashes()
        var readers = LayeredHashReaders()
        var ofOthers: (row: StoredRow, hash: PasswordHash)?
        for row in try rows.read(after: nil, through: nil, limit: TablePreview.maximumCount) {
            let decision = try decide(row)
            undeclared.add(decision.outcome)
            guard case .replace(let replacement, _) = decision, let hash = replacement.layeredHash else {
                continue
            }
            readers.add(hash.scheme, hash.parameters)
            if ofOthers == nil, LayeredHashReaders.areOfOthers(hash.scheme, hash.parameters) {
                ofOthers = (row, hash)
            }
        }
        tally.setReaders(readers)
        try undeclared.check(table.shown, hashes.bareHashes, sawAll: false)
        guard !allowsIncompatible, let found = ofOthers else { return }
        throw readers.failure(
            "\(table.shown): id \(StoredRow.shown(id: found.row.id))",
            found.hash.scheme
        )
    }

    /// Upgrades rows until those of all processes are done, or a signal or an error stops this process.
    func run(_ leases: LeaseTable) {
        JoinedThreads.run(Self.laneCount) { _ in
            do {
                var pause: UInt32 = 50_000
                while !tally.isStopped {
                    if let lease = try leases.claim() {
                        try upgrade(lease, leases)
                        pause = 50_000
                    } else if try leases.isComplete() {
                        return
                    } else {
                        // Others work on the last rows, or their leases must expire first.
                        usleep(pause)
                        pause = min(pause * 2, 250_000)
                    }
                }
            } catch {
                tally.stop(error)
            }
        }
    }

    private func decide(_ row: StoredRow) throws -> HashUpgrader.Decision {
        try hashes.decide(row, hasSalts: table.saltColumn != nil)
    }

    private func upgrade(_ lease: LeaseTable.Lease, _ leases: LeaseTable) throws {
        var low = lease.low
        var done = 0
        while true {
            let page = try rows.read(after: low, through: lease.high, limit: Self.pageCount)
            guard try upgrade(page, lease, leases) else { return }
            done += page.count
            guard let last = page.last, page.count == Self.pageCount else { break }
            low = last.id
        }
        if let total = try leases.finish(lease, rowCount: done) { tally.show(done: total) }
    }

    /// Upgrades rows. Returns `false` if another process does the rest.
    private func upgrade(_ page: [StoredRow], _ lease: LeaseTable.Lease, _ leases: LeaseTable) throws -> Bool
    {
        var pending:
            [(row: StoredRow, replacement: any HashReplacement, lock: [UInt8], outcome: HashUpgrader.Outcome)] =
                []
        for row in page {
            let decision = try decide(row)
            if case .replace(let replacement, let lock) = decision {
                if replacement.layeredHash != nil { tally.announceLayering() }
                pending.append((row, replacement, lock, decision.outcome))
            } else {
                tally.count(decision.outcome, row)
            }
        }
        var rest = pending[...]
        while !rest.isEmpty {
            guard !tally.isStopped else { return false }
            let batch = rest.prefix(pool.batchCount)
            rest = rest.dropFirst(batch.count)
            let made = try pool.make(batch.map(\.replacement))
            let changes = zip(batch, made).map { row, hash in
                StoredRows.Change(row: row.row, hash: row.lock + hash, outcome: row.outcome)
            }
            // The new lease covers the time of writing.
            guard try leases.renew(lease) else { return false }
            try write(changes)
        }
        return true
    }

    private func write(_ changes: [StoredRows.Change]) throws {
        var left = changes[...]
        var locked: [StoredRows.Change] = []
        let end = ContinuousClock.now + Self.lockedTime
        while true {
            while !left.isEmpty {
                let written = try rows.write(left.prefix(StoredRows.rowsPerTransaction))
                left = left.dropFirst(StoredRows.rowsPerTransaction)
                for change in written.done { tally.count(change.outcome, change.row) }
                for change in written.altered {
                    tally.count(.problem(Self.altered), change.row)
                }
                tally.countChangedMeanwhile(written.changedMeanwhile)
                locked += written.locked
            }
            guard !locked.isEmpty else { return }
            guard !tally.isStopped else { return }
            guard ContinuousClock.now < end else { break }
            usleep(10_000)
            left = locked[...]
            locked = []
        }
        for change in locked { tally.count(.problem(Self.locked), change.row) }
    }

    private static let altered = UpgradeRemark(
        kind: "altered by a trigger",
        reason: "a trigger of the table did not keep the new hash"
    )
    private static let locked = UpgradeRemark(
        kind: "locked by another transaction",
        reason: "another transaction keeps the row locked; run the command again when it has ended"
    )
}
