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
            let start = loss.detail.hasPrefix("kept") ? "changed" : "not kept"
            StandardStreams.report(
                "\(start): \(field)\(place): \(ShellQuoting.escapingUnprintable(loss.detail))"
            )
        }
        if unlistedCount > 0 {
            StandardStreams.report("not kept or changed: \(unlistedCount) more, which are not listed")
        }
    }
}
