// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// What a table shows before anything of its upgrade is computed or written: how many records it has, and what the first of
/// them are.
struct TablePreview {
    /// The number of records that are looked at.
    static let maximumCount = 1000

    /// The number of all records; `nil` if the table cannot be read to its end, which the upgrade reports.
    private(set) var recordCount: Int?
    private var undeclared = UndeclaredHashes()
    /// The number of the first record with a hash to layer that programs read which cannot read the layered one.
    private var firstSystemHash: Int?

    /// Reads a table from its beginning, and returns to it.
    init(
        _ source: OpenTable,
        format: TableRecord.Format,
        name: String,
        skipsHeader: Bool,
        _ upgrader: RecordUpgrader
    ) throws {
        let first = skipsHeader ? 1 : 0
        let looked = first..<first + Self.maximumCount
        var blocks = TableBlocks(descriptor: source.descriptor, format: format, name: name)
        var count = 0
        do {
            while let block = try blocks.next() {
                for index in block.ends.indices where looked.contains(count + index) {
                    let record = TableRecord(Array(block.bytes[block.range(index)]), format: format)
                    look(at: record, number: count + index + 1, upgrader)
                }
                count += block.ends.count
            }
            recordCount = count
        } catch {
            // The upgrade comes to this record as well, and reports it.
            recordCount = nil
        }
        try source.rewind()
    }

    private mutating func look(at record: TableRecord, number: Int, _ upgrader: RecordUpgrader) {
        guard let decision = try? upgrader.decide(record) else { return }
        undeclared.add(decision.outcome)
        guard record.format == .colons, firstSystemHash == nil,
            case .replace(let replacement, _) = decision, let scheme = replacement.layeredScheme,
            LayeredHashReaders.schemesOfOthers.contains(scheme)
        else { return }
        firstSystemHash = number
    }

    /// Refuses a table that needs an option which is missing, before anything is written.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - bareHashes: What is declared of bare hashes.
    ///   - allowsIncompatible: Whether hashes of other programs may be layered.
    /// - Throws: ``CommandFailure``.
    func check(_ name: String, _ bareHashes: BareHashOptions, allowsIncompatible: Bool) throws(CommandFailure)
    {
        try undeclared.check(name, bareHashes)
        guard let firstSystemHash, !allowsIncompatible else { return }
        throw CommandFailure(
            .usage,
            "\(name): record \(firstSystemHash) has a hash as in htpasswd and shadow files; "
                + LayeredHashReaders.messages.joined(separator: "; ")
                + "; if no other program reads this table, add --allow-incompatible; nothing was written"
        )
    }
}
