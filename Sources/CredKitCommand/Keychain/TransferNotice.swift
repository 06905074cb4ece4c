// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTerminal

/// What an import or export does not keep, for people.
enum TransferNotice {
    /// The number of entries that a line for several names.
    private static let nameCount = 3

    /// What one line says.
    private struct Kind: Hashable {
        let name: String
        let isKept: Bool

        /// The kind of a property; that of a whole entry is the reason.
        init(_ loss: TransferLoss) {
            name = loss.field.isEmpty ? ": \(loss.detail)" : loss.kind
            isKept = loss.isKept
        }
    }

    /// Prints one line on stderr for each kind of property, with the number of entries that it is not kept of. Each failure
    /// has a line of its own, because something must be done about it.
    ///
    /// - Parameters:
    ///   - losses: What is not kept.
    ///   - unlistedCount: How many more there are.
    static func show(_ losses: [TransferLoss], unlistedCount: Int = 0) {
        let groups = Dictionary(grouping: losses.filter { !$0.isFailure }) { Kind($0) }
        var shown: Set<Kind> = []
        for loss in losses {
            if loss.isFailure {
                showLine(of: [loss])
            } else if shown.insert(Kind(loss)).inserted {
                showLine(of: groups[Kind(loss)] ?? [loss])
            }
        }
        if unlistedCount > 0 {
            StandardStreams.report("not kept or changed: \(unlistedCount) more, which are not listed")
        }
    }

    private static func showLine(of losses: [TransferLoss]) {
        let first = losses[0]
        let hasOneField = losses.allSatisfy { $0.field == first.field }
        let field = hasOneField ? first.field : first.kind
        // What differs between entries follows a colon or a comma: a date, a number.
        let hasOneDetail = losses.allSatisfy { $0.detail == first.detail }
        let detail = hasOneDetail ? first.detail : String(first.detail.prefix { $0 != ":" && $0 != "," })
        var names: [String] = []
        for loss in losses where names.count < nameCount && !names.contains(loss.entry) {
            names.append(loss.entry)
        }
        let more = losses.count > names.count ? ", …" : ""
        let place =
            losses.count == 1
            ? first.entry : "\(losses.count) entries (\(names.joined(separator: ", "))\(more))"
        let start = first.isKept ? "changed" : "not kept"
        let line = (field.isEmpty ? "" : "\(field) of ") + "\(place): \(detail)"
        StandardStreams.report("\(start): \(ShellQuoting.escapingUnprintable(line))")
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
