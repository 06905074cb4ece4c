// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal

extension AuditCommand {
    /// What an upgrade to SCRAM verifiers would do.
    private struct Plan {
        let counts: UpgradeCounts
        /// What to say of the records that are not converted; `nil` if there are none.
        let message: String?
        var hiddenRecords = 0
    }

    /// Audits a table of password-equivalents by what `upgrade` decides on each record: they are no hashes, so that
    /// `PasswordTableAudit` does not know them.
    func auditEquivalents(_ target: SCRAMUpgrade) throws {
        let plan: Plan
        if let input { plan = try self.plan(input, target) } else { plan = try planDatabase(target) }
        let estimate = try UpgradeEstimate.measure(
            hashes: plan.counts.layered,
            target,
            workerCount: Processors.count
        )
        let listing = EquivalentListing(plan.counts, estimate)
        try CommandOutput(json: json).print(listing, text: listing.text(estimate))
        if let message = plan.message { StandardStreams.report(message) }
        if listing.unreadable + plan.hiddenRecords > 0 { throw CommandFailure(.malformed) }
        if failOnWeak, listing.upgradable + listing.weak > 0 {
            throw CommandFailure(
                .no,
                "\(listing.upgradable) password-equivalents can be converted, \(listing.weak) hashes only at the next login"
            )
        }
    }

    private func plan(_ input: FileArgument, _ target: SCRAMUpgrade) throws -> Plan {
        let name = input.quoted
        let source = try OpenTable(input)
        let layout = try options.columns.layout(source, input)
        var upgrader = TableUpgrader(
            upgrader: RecordUpgrader(target: target, column: HashColumn(layout, options.bareHashOptions)),
            workerCount: 1,
            skipsHeader: layout.hasHeader,
            inputName: name
        )
        let format = options.columns.format(of: input)
        var reader = TableReader(descriptor: source.descriptor, format: format, name: name)
        var meter = ProgressMeter(.records) { line in StandardStreams.report("\(name): \(line)") }
        try upgrader.plan(&reader, meter: &meter)
        meter.finish()
        upgrader.spannedLines.report(name)
        return Plan(
            counts: upgrader.counts,
            message: upgrader.remainder.message(name, place: "record"),
            hiddenRecords: upgrader.spannedLines.hiddenRecords
        )
    }

    private func planDatabase(_ target: SCRAMUpgrade) throws -> Plan {
        let pageCount = 1000
        let database = try databaseOptions.connect(isReadOnly: true)
        let table = try databaseOptions.find(options.columns, isReadOnly: true, in: database)
        let tally = UpgradeTally(table, target, nil)
        defer { _ = tally.finish() }
        let hashes = HashUpgrader(target: target, bareHashes: options.bareHashOptions)
        let rows = StoredRows(of: table, in: database)
        let cursor = try rows.readAll()
        var done = 0
        while true {
            let page = try rows.next(pageCount, of: cursor)
            for row in page { tally.count(try hashes.decide(row, hasSalts: false).outcome, row) }
            done += page.count
            tally.show(done: done)
            guard page.count == pageCount else { break }
        }
        return Plan(counts: tally.counts, message: tally.remainder.message(table.shown, place: "id"))
    }
}
