// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain

/// The output form of what a repair has done.
struct RepairListing: Encodable {
    let repaired: Bool
    let actions: String?
    let keptFile: String?
    let generation: UInt64?
    let items: Int?
    let newestGeneration: UInt64?

    init(_ repair: VaultRepair?) {
        repaired = repair != nil
        actions = repair?.description
        keptFile = repair?.keptFile
        generation = repair?.generation
        items = repair?.itemCount
        newestGeneration = repair?.newestGeneration
    }
}

/// The output form of an accepted vault.
struct AcceptanceListing: Encodable {
    let path: String
    let items: Int
    let changed: Bool
    let id: String?
    let generation: UInt64?
    let previousID: String?
    let newestGeneration: UInt64?
    let keptFile: String?

    init(_ acceptance: VaultAcceptance) {
        path = acceptance.path
        items = acceptance.itemCount
        changed = acceptance.isChanged
        id = acceptance.identifier
        generation = acceptance.generation
        previousID = acceptance.previousIdentifier
        newestGeneration = acceptance.newestGenerationSeen
        keptFile = acceptance.keptFile
    }
}
