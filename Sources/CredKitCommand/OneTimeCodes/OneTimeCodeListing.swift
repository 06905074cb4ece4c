// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain

/// A code of a key in the keychain, as `credkit otp code --json` prints it.
struct OneTimeCodeListing: Encodable, Sendable {
    let code: String
    var expires: String?
    var counter: UInt64?

    private init(code: String, expires: String? = nil, counter: UInt64? = nil) {
        self.code = code
        self.expires = expires
        self.counter = counter
    }

    /// Takes the current code of an item. For a key with a counter it is the next one, and the incremented counter is stored
    /// first.
    init(takenFrom item: CredentialKey, in keychain: Keychain) async throws {
        let key = try await OneTimeCodeItem.load(item, from: keychain).key
        guard case .counter = key.kind else {
            let now = UnixTime.now
            self.init(
                code: try key.code(at: now).text,
                expires: try key.expiry(ofCodeAt: now).description
            )
            return
        }
        self = try await OneTimeCodeItem.changeCounter(item, in: keychain) { key in
            guard case .counter(let counter) = key.kind else { throw OneTimeCodeError.wrongKind }
            var key = key
            return (OneTimeCodeListing(code: try key.takeCode().text, counter: counter), counter + 1)
        }
    }
}
