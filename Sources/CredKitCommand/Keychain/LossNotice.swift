// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTerminal

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
