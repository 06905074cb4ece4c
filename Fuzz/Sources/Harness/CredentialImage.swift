// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import FoundationEssentials

/// All that two credentials are compared by. Times are in milliseconds, as files store them.
struct CredentialImage: Equatable {
    private let service, label, contentType: [UInt8]
    private let account: [UInt8]?
    private let attributes: [[UInt8]: [UInt8]]
    private let created, modified: Double?
    private let secret: [UInt8]

    init(_ credential: Credential) {
        let item = credential.item
        (service, label) = (Array(item.service.utf8), Array(item.label.utf8))
        (contentType, account) = (Array(item.contentType.utf8), item.account.map { Array($0.utf8) })
        // Swift compares texts by characters, stores compare bytes.
        let pairs = item.key.attributes.map { (Array($0.key.utf8), Array($0.value.utf8)) }
        attributes = Dictionary(pairs) { first, _ in first }
        created = item.created.map { ($0.timeIntervalSince1970 * 1000).rounded() }
        modified = item.modified.map { ($0.timeIntervalSince1970 * 1000).rounded() }
        secret = credential.secret.copy
    }
}
