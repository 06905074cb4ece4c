// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// What one call has for unlocking the vault.
struct UnlockContext: Sendable {
    /// Until when the caller waits.
    let token: CancellationToken
    /// The keys that other stores contain for this vault.
    let storedKeys: [SecretBytes]
}
