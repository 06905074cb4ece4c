// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitSystem

/// A store of passkeys in memory, in which a test does something at a moment of a call.
final class HookedPasskeyStore: PasskeyStore {
    enum Moment: Hashable { case afterReading, beforeAdding, beforeRecording, afterRecording }

    typealias Hook = @Sendable (_ store: InMemoryPasskeyStore, _ id: [UInt8]) async throws -> Void

    private let base = InMemoryPasskeyStore()
    private let hooks = Lock<[Moment: Hook]>([:])

    /// Sets what happens at a moment, in place of what was set before; `nil` for nothing.
    func on(_ moment: Moment, _ hook: Hook?) { hooks.withLock { $0[moment] = hook } }

    private func reach(_ moment: Moment, _ id: [UInt8]) async throws {
        if let hook = hooks.withLock({ $0[moment] }) { try await hook(base, id) }
    }

    func add(_ credential: PasskeyCredential, limit: Int) async throws -> PasskeyAddition {
        try await reach(.beforeAdding, credential.id)
        return base.add(credential, limit: limit)
    }

    func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) async throws -> Bool {
        try await reach(.beforeRecording, old.id)
        let isStored = base.recordUse(record, replacing: old, at: time)
        try await reach(.afterRecording, old.id)
        return isStored
    }

    func userHandle(ofAccountNamed name: String) -> [UInt8] { base.userHandle(ofAccountNamed: name) }
    func account(ofUserHandle handle: [UInt8]) -> String? { base.account(ofUserHandle: handle) }
    func credentials(ofAccountNamed name: String) async throws -> [PasskeyCredential] {
        let credentials = base.credentials(ofAccountNamed: name)
        try await reach(.afterReading, [])
        return credentials
    }
    func credential(id: [UInt8]) -> PasskeyCredential? { base.credential(id: id) }
    func rename(_ id: [UInt8], ofAccountNamed account: String, to name: String) -> Bool {
        base.rename(id, ofAccountNamed: account, to: name)
    }
    func remove(_ id: [UInt8], ofAccountNamed account: String, retainingLast: Bool) -> PasskeyRemoval {
        base.remove(id, ofAccountNamed: account, retainingLast: retainingLast)
    }
    func removeAll(ofAccountNamed name: String) -> Int { base.removeAll(ofAccountNamed: name) }
    func state(ofAccountNamed name: String) -> PasskeyAccountState { base.state(ofAccountNamed: name) }
    func setPasskeyRequired(_ isRequired: Bool, ofAccountNamed name: String) -> Bool {
        base.setPasskeyRequired(isRequired, ofAccountNamed: name)
    }
}
