// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// A store of passkeys with a fault.
final class BrokenPasskeyStore: PasskeyStore {
    enum Fault: CaseIterable {
        case makesHandlesAnew, overwrites, ignoresOldRecord, recordsAnotherTime, removesOthers, removesLast,
            ignoresRequirement, ignoresLimit,
            comparesAsText

        var message: String {
            switch self {
            case .makesHandlesAnew: "one user handle"
            case .overwrites: "one must add it"
            case .ignoresOldRecord: "an older record must return false"
            case .recordsAnotherTime: "a passkey after its use"
            case .removesOthers: "removing the passkey of another account"
            case .removesLast: "removing the last passkey, which must stay"
            case .ignoresRequirement: "must not require one"
            case .ignoresLimit: "must never have more passkeys"
            case .comparesAsText: "accounts with different bytes"
            }
        }
    }

    private let fault: Fault
    private let base = InMemoryPasskeyStore()

    init(_ fault: Fault) { self.fault = fault }

    /// A name that is the same for names that Swift compares as equal.
    private func name(_ account: String) -> String {
        guard fault == .comparesAsText else { return account }
        return account.hasSuffix("\u{E9}") ? String(account.dropLast()) + "\u{E9}" : account
    }

    func userHandle(ofAccountNamed name: String) -> [UInt8] {
        fault == .makesHandlesAnew
            ? SecureRandom.bytes(count: 32) : base.userHandle(ofAccountNamed: self.name(name))
    }

    func account(ofUserHandle handle: [UInt8]) -> String? { base.account(ofUserHandle: handle) }

    func credentials(ofAccountNamed name: String) -> [PasskeyCredential] {
        base.credentials(ofAccountNamed: self.name(name))
    }

    func credential(id: [UInt8]) -> PasskeyCredential? { base.credential(id: id) }

    func add(_ credential: PasskeyCredential, limit: Int) -> PasskeyAddition {
        if fault == .overwrites, let present = base.credential(id: credential.id) {
            _ = base.remove(present.id, ofAccountNamed: present.account, retainingLast: false)
        }
        return base.add(
            PasskeyCredential(
                account: name(credential.account),
                record: credential.record,
                name: credential.name,
                created: credential.created,
                lastUse: credential.lastUse
            ),
            limit: fault == .ignoresLimit ? .max : limit
        )
    }

    func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) -> Bool {
        switch fault {
        case .ignoresOldRecord:
            let present = base.credential(id: old.id)?.record ?? old
            return base.recordUse(record, replacing: present, at: time)
        case .recordsAnotherTime:
            return base.recordUse(record, replacing: old, at: UnixTime(time.seconds - 1))
        default: return base.recordUse(record, replacing: old, at: time)
        }
    }

    func rename(_ id: [UInt8], ofAccountNamed account: String, to name: String) -> Bool {
        base.rename(id, ofAccountNamed: self.name(account), to: name)
    }

    func remove(
        _ id: [UInt8],
        ofAccountNamed account: String,
        retainingLast retainsLast: Bool
    ) -> PasskeyRemoval {
        let owner = fault == .removesOthers ? base.credential(id: id)?.account ?? account : name(account)
        return base.remove(id, ofAccountNamed: owner, retainingLast: retainsLast && fault != .removesLast)
    }

    func removeAll(ofAccountNamed name: String) -> Int { base.removeAll(ofAccountNamed: self.name(name)) }

    func state(ofAccountNamed name: String) -> PasskeyAccountState {
        base.state(ofAccountNamed: self.name(name))
    }

    func setPasskeyRequired(_ isRequired: Bool, ofAccountNamed name: String) -> Bool {
        _ = base.setPasskeyRequired(isRequired, ofAccountNamed: self.name(name))
        return fault == .ignoresRequirement
            || base.state(ofAccountNamed: self.name(name)).isPasskeyRequired == isRequired
    }
}
