// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTerminal

/// What an import or export does not keep, for people.
enum TransferNotice {
    /// Prints one line per property of each entry on stderr. A property that no entry keeps is one line.
    ///
    /// - Parameters:
    ///   - losses: What is not kept.
    ///   - unlistedCount: How many more there are.
    ///   - entryCount: The number of entries.
    static func show(_ losses: [TransferLoss], unlistedCount: Int = 0, entryCount: Int) {
        struct Kind: Hashable { let field, detail: String }
        let counts = Dictionary(grouping: losses) { Kind(field: $0.field, detail: $0.detail) }
            .mapValues { Set($0.map(\.entry)).count }
        var shown: Set<Kind> = []
        for loss in losses {
            let kind = Kind(field: loss.field, detail: loss.detail)
            let count = counts[kind, default: 0]
            let isOfAll = count > 1 && count >= entryCount && !loss.field.isEmpty
            if isOfAll, !shown.insert(kind).inserted { continue }
            let place = isOfAll ? "\(count) entries" : ShellQuoting.escapingUnprintable(loss.entry)
            let field = loss.field.isEmpty ? "" : "\(ShellQuoting.escapingUnprintable(loss.field)) of "
            let start = loss.isKept ? "changed" : "not kept"
            StandardStreams.report(
                "\(start): \(field)\(place): \(ShellQuoting.escapingUnprintable(loss.detail))"
            )
        }
        if unlistedCount > 0 {
            StandardStreams.report("not kept or changed: \(unlistedCount) more, which are not listed")
        }
    }
}

/// The properties of items that a move would lose, for people.
enum LossNotice {
    /// Prints one line per property and reason on stderr. A line names its items if it does not apply to all of them.
    static func show(_ losses: [FieldLoss]) {
        let count = Set(losses.map(\.item)).count
        let groups = Dictionary(grouping: losses, by: \.limitation)
        for (limitation, losses) in groups.sorted(by: { $0.key.field.rawValue < $1.key.field.rawValue }) {
            let start = "not kept: \(limitation.field.rawValue) of"
            if losses.count == count {
                StandardStreams.report("\(start) \(count) items: \(limitation.detail)")
            } else {
                for loss in losses {
                    let name = ShellQuoting.escapingUnprintable("\(loss.item.key)")
                    StandardStreams.report("\(start) \(name): \(limitation.detail)")
                }
            }
        }
    }
}
