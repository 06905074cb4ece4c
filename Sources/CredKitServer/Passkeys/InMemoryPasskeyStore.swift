// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem

/// Passkeys in memory, for tests. A server needs a store that survives a restart: without it, users lose their passkeys.
public final class InMemoryPasskeyStore: PasskeyStore {
    private let table = Lock(PasskeyTable())

    /// Creates an empty store.
    public init() {}

    /// Returns the user handle of an account, which is created if it has none.
    public func userHandle(ofAccountNamed name: String) -> [UInt8] {
        table.withLock { $0.handle(of: name, new: SecureRandom.bytes(count: 32)) }
    }

    /// Returns the account of a user handle.
    public func account(ofUserHandle handle: [UInt8]) -> String? {
        table.withLock { $0.account(ofUserHandle: handle) }
    }

    /// Returns the passkeys of an account, in the order in which they were added.
    public func credentials(ofAccountNamed name: String) -> [PasskeyCredential] {
        table.withLock { $0.credentials(of: name) }
    }

    /// Returns the passkey with an identifier.
    public func credential(id: [UInt8]) -> PasskeyCredential? { table.withLock { $0.credentials[id] } }

    /// Adds a passkey, unless an account has one with its identifier, or its own account has as many as it may.
    public func add(_ credential: PasskeyCredential, limit: Int) -> PasskeyAddition {
        table.withLock { $0.add(credential, limit: limit) }
    }

    /// Stores what a login has shown, if the stored record is still the one that was verified.
    public func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) -> Bool {
        table.withLock { $0.recordUse(record, replacing: old, at: time) }
    }

    /// Renames a passkey.
    public func rename(_ id: [UInt8], ofAccountNamed account: String, to name: String) -> Bool {
        table.withLock { $0.rename(id, of: account, to: name) }
    }

    /// Removes a passkey, unless it is the last one and must stay.
    public func remove(
        _ id: [UInt8],
        ofAccountNamed account: String,
        retainingLast retainsLast: Bool
    ) -> PasskeyRemoval {
        table.withLock { $0.remove(id, of: account, retainingLast: retainsLast) }
    }

    /// Removes all passkeys of an account.
    public func removeAll(ofAccountNamed name: String) -> Int { table.withLock { $0.removeAll(of: name) } }

    /// Returns how many passkeys an account has, and whether it requires one.
    public func state(ofAccountNamed name: String) -> PasskeyAccountState {
        table.withLock { $0.state(of: name) }
    }

    /// Stores whether an account requires a passkey.
    public func setPasskeyRequired(_ isRequired: Bool, ofAccountNamed name: String) -> Bool {
        table.withLock { $0.setPasskeyRequired(isRequired, of: name) }
    }
}
