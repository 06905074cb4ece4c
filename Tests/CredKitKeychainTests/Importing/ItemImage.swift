// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

@testable import CredKitKeychain

/// An item as a test compares it: the bytes of all its properties.
struct ItemImage: Hashable, CustomStringConvertible {
    let description: String

    init(_ credential: Credential, hasTimes: Bool = true) {
        var credential = credential
        if !hasTimes { (credential.item.created, credential.item.modified) = (nil, nil) }
        let secret = credential.secret.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
        description = String(decoding: EntryMarker.text(credential.item), as: UTF8.self) + " \(secret)"
    }
}
