// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The secret of the next renewal, while the keychain does not have it.
struct HeldSecret: Sendable {
    enum Place: Sendable {
        /// It is only kept in memory.
        case memory
        /// It belongs in the keychain in the place of another one, or of none. If the keychain has any other than that,
        /// another program has logged in since, and this secret is out of date.
        case keychain(replacing: SecretBytes?)
    }

    let secret: SecretBytes
    let place: Place
}
