// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain

/// A code of a key in the keychain, as `credkit otp code --json` prints it.
struct OneTimeCodeListing: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey { case code, expires, counter }

    let code: String
    var expires: String?
    var counter: UInt64?
    /// The seconds until the next code replaces it.
    var secondsLeft: Int64?

    private init(code: String, counter: UInt64) {
        self.code = code
        self.counter = counter
    }

    /// Computes the code of a key that is current at a time.
    ///
    /// - Throws: ``OneTimeCodeError/wrongKind`` for a key with a counter.
    init(of key: OneTimeCodeKey, at now: UnixTime) throws {
        let end = try key.expiry(ofCodeAt: now)
        code = try key.code(at: now).text
        expires = end.description
        secondsLeft = end.seconds - now.seconds
    }

    /// Takes the current code of an item. For a key with a counter it is the next one, and the incremented counter is stored
    /// first.
    init(takenFrom item: CredentialKey, in keychain: Keychain) async throws {
        let key = try await OneTimeCodeItem.load(item, from: keychain).key
        guard case .counter = key.kind else {
            try self.init(of: key, at: .now)
            return
        }
        self = try await OneTimeCodeItem.changeCounter(item, in: keychain) { key in
            guard case .counter(let counter) = key.kind else { throw OneTimeCodeError.wrongKind }
            var key = key
            return (OneTimeCodeListing(code: try key.takeCode().text, counter: counter), counter + 1)
        }
    }
}
