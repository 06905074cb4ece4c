// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal

/// The output form of a vault's key slot.
struct SlotListing: Encodable {
    let identifier: String
    let kind: String
    let name: String
    let memoryKiB: Int?
    let passes: Int?

    init(_ slot: VaultSlot) {
        identifier = slot.identifier
        name = slot.name
        switch slot.kind {
        case .passphrase(let costs):
            (kind, memoryKiB, passes) = ("passphrase", costs.memory.kibibytes, costs.passes)
        case .key: (kind, memoryKiB, passes) = ("key", nil, nil)
        case .secretService: (kind, memoryKiB, passes) = ("secret-service", nil, nil)
        }
    }

    private var line: String {
        [identifier, kind, name].map(ShellQuoting.escapingUnprintable).joined(separator: "\t")
    }

    /// Prints slots, one per line.
    static func show(_ slots: [VaultSlot], json: Bool) throws {
        try CommandOutput(json: json).print(slots.map(SlotListing.init), text: \.line)
    }

    /// Reports the slots that were dropped.
    static func reportDropped(_ slots: [VaultSlot]) {
        for slot in slots {
            let name = ShellQuoting.escapingUnprintable(slot.name)
            StandardStreams.report(
                "dropped the slot \(slot.identifier) (\(name)): its passphrase or key was not available; add it again"
            )
        }
    }
}
