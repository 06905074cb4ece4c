// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTerminal
import Glibc

extension UpgradeCommand {
    /// Upgrades a table of a database in place.
    func upgradeDatabase() throws {
        // A verifier in a database has PostgreSQL's form, as one in CSV has.
        let toSCRAM = try scram.target(.csv, limits: options.hasherOptions.limits)
        let (target, limit) = try toSCRAM.map { ($0, Processors.count) } ?? layering()
        let workerCount = min(databaseOptions.workers ?? limit, limit)
        // Before any thread is started, so that all inherit the mask.
        let signals = PendingSignals()
        let database = try databaseOptions.source.connect(isReadOnly: false)
        let table = try databaseOptions.source.find(options.columns, isReadOnly: false, in: database)
        let tally = UpgradeTally(table, target, signals)
        let upgrader = DatabaseUpgrader(
            table,
            in: database,
            HashUpgrader(target: target, bareHashes: options.bareHashOptions),
            workerCount: workerCount,
            tally: tally
        )
        try upgrader.checkFirstRows(allowsIncompatible: allowIncompatible)
        let leases = try LeaseTable(
            for: table,
            options: sharedOptions(of: table, target),
            seconds: databaseOptions.lease ?? 30,
            rowCount: databaseOptions.batch ?? 500,
            in: database
        )
        upgrader.run(leases)
        try end(leases, tally)
        _ = tally.finish()
        try UpgradeReport(
            counts: tally.counts,
            scram: toSCRAM,
            changedMeanwhile: tally.changedMeanwhile
        ).print(json: json)
        if let message = tally.remainder.message(table.shown, place: "id") {
            throw CommandFailure(.malformed, message)
        }
    }

    /// Removes the leases, or after an error or a signal lets other processes take over those of this one.
    private func end(_ leases: LeaseTable, _ tally: UpgradeTally) throws {
        if let failure = tally.failure {
            leases.release(after: failure)
            _ = tally.finish()
            StandardStreams.report(
                "stopped after \(tally.counts.total) rows; run the same command again to continue"
            )
            throw failure
        }
        if tally.isStopped {
            leases.release(after: nil)
            let signal = tally.finish()
            StandardStreams.report(
                "stopped after \(tally.counts.total) rows; run the same command again to continue"
            )
            if let signal { raise(signal) }
        }
        leases.remove()
    }

    /// What all processes that upgrade a table at the same time must agree on. It contains no secret.
    private func sharedOptions(of table: UpgradedTable, _ target: any UpgradeTarget) -> String {
        let bare = options.bareHashOptions
        let parts: [(String, String?)] = [
            ("id", table.idColumn), ("hash", table.hashColumn), ("salt-column", table.saltColumn),
            ("to", target.summary), ("as", bare.kinds.first?.name), ("salt", bare.salt),
            ("position", bare.position?.rawValue), ("rounds", bare.rounds.map { "\($0)" }),
            ("key-id", bare.keyID), ("salt-separator", bare.saltSeparator.map { "\($0.byte)" }),
            ("only", options.schemes?.map(\.name).sorted().joined(separator: ",")),
        ]
        return parts.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: " ")
    }
}
