// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// What a table shows before anything of its upgrade is computed or written: how many records it has, and what they are.
struct TablePreview {
    /// The number of records that are looked at in any case.
    static let maximumCount = 1000

    /// The number of all records; `nil` if the table cannot be read to its end, which the upgrade reports.
    private(set) var recordCount: Int?
    /// Whether a hash is layered.
    private(set) var isLayered = false
    /// Who reads the layered hashes of the records that were looked at.
    private(set) var readers = LayeredHashReaders()
    private var undeclared = UndeclaredHashes()
    /// The first record with a hash to layer that programs read which cannot read the layered one.
    private var firstOfOthers: (number: Int, scheme: PasswordHash.Scheme)?

    /// Reads a table from its beginning, and returns to it. Unless hashes of other programs may be layered, the first of them is
    /// searched for, if there are colons between the fields, as in the tables of these programs.
    init(
        _ source: OpenTable,
        format: TableRecord.Format,
        name: String,
        skipsHeader: Bool,
        allowsIncompatible: Bool,
        _ upgrader: RecordUpgrader
    ) throws {
        let first = skipsHeader ? 1 : 0
        let looked = first..<first + Self.maximumCount
        let findsOthers = !allowsIncompatible && format.separator == UInt8(ascii: ":")
        var blocks = TableBlocks(descriptor: source.descriptor, format: format, name: name)
        var count = 0
        // The lengths of bare digests that only the application reads: the declaration holds for all of a length, so no more of
        // them is decided on.
        var digitCounts: Set<Int> = []
        do {
            reading: while let block = try blocks.next() {
                for index in block.ends.indices where count + index >= first {
                    let isLooked = looked.contains(count + index)
                    guard isLooked || !isLayered || (findsOthers && firstOfOthers == nil) else { break }
                    let record = TableRecord(Array(block.bytes[block.range(index)]), format: format)
                    let field = record.field(upgrader.column.hashField) ?? []
                    if !isLooked, isLayered, digitCounts.contains(field.count), Self.isHex(field) { continue }
                    guard let decision = try? upgrader.decide(record) else { continue }
                    undeclared.add(decision.outcome)
                    // `check` refuses the table for these records alone.
                    if undeclared.needsDeclaration, !upgrader.column.bareHashes.isDeclared { break reading }
                    guard case .replace(let replacement, _) = decision, let hash = replacement.layeredHash
                    else {
                        continue
                    }
                    isLayered = true
                    readers.add(hash.scheme, hash.parameters)
                    guard findsOthers, firstOfOthers == nil else { continue }
                    guard LayeredHashReaders.areOfOthers(hash.scheme, hash.parameters) else {
                        if BareHashOptions.isBare(field) { digitCounts.insert(field.count) }
                        continue
                    }
                    firstOfOthers = (count + index + 1, hash.scheme)
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

    private static func isHex(_ field: [UInt8]) -> Bool {
        field.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }

    /// Refuses a table that needs an option which is missing, before anything is written.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - bareHashes: What is declared of bare hashes.
    /// - Throws: ``CommandFailure``.
    func check(_ name: String, _ bareHashes: BareHashOptions) throws(CommandFailure) {
        try undeclared.check(name, bareHashes, sawAll: recordCount != nil)
        guard let firstOfOthers else { return }
        throw readers.failure("\(name): record \(firstOfOthers.number)", firstOfOthers.scheme)
    }
}
