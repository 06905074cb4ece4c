// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The passkeys of all accounts. The rules stand also in `SQLSchema.passkeys`.
struct PasskeyTable: Sendable, Equatable {
    /// An account that has a user handle.
    struct Account: Sendable, Equatable {
        let name: String
        let handle: [UInt8]
        var isPasskeyRequired = false
        /// The identifiers of its passkeys, in the order in which they were added.
        var ids: [[UInt8]] = []
    }

    /// By the bytes of the name.
    private(set) var accounts: [[UInt8]: Account] = [:]
    private(set) var credentials: [[UInt8]: PasskeyCredential] = [:]
    /// The bytes of the name by the user handle.
    private var owners: [[UInt8]: [UInt8]] = [:]

    /// Creates a table of accounts without passkeys; `nil` if two have the same name or handle.
    init?(_ accounts: [Account]) {
        for account in accounts {
            let key = Array(account.name.utf8)
            guard self.accounts.updateValue(account, forKey: key) == nil,
                owners.updateValue(key, forKey: account.handle) == nil
            else { return nil }
        }
    }

    /// An empty table.
    init() {}

    /// Returns the handle of an account, which becomes the new one if it has none.
    mutating func handle(of name: String, new: [UInt8]) -> [UInt8] {
        let key = Array(name.utf8)
        if let account = accounts[key] { return account.handle }
        accounts[key] = Account(name: name, handle: new)
        owners[new] = key
        return new
    }

    func account(ofUserHandle handle: [UInt8]) -> String? {
        owners[handle].flatMap { accounts[$0]?.name }
    }

    func credentials(of name: String) -> [PasskeyCredential] {
        (accounts[Array(name.utf8)]?.ids ?? []).compactMap { credentials[$0] }
    }

    mutating func add(_ credential: PasskeyCredential, limit: Int) -> PasskeyAddition {
        let key = Array(credential.account.utf8)
        guard credentials[credential.id] == nil, let owner = accounts[key],
            owner.handle == credential.record.userHandle
        else { return .refused }
        guard owner.ids.count < limit else { return .full }
        credentials[credential.id] = credential
        accounts[key]?.ids.append(credential.id)
        return .added
    }

    mutating func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) -> Bool {
        guard var credential = credentials[old.id], credential.record == old, record.id == old.id else {
            return false
        }
        credential.record = record
        credential.lastUse = max(credential.lastUse ?? time, time)
        credentials[old.id] = credential
        return true
    }

    mutating func rename(_ id: [UInt8], of account: String, to name: String) -> Bool {
        guard isOwner(account, of: id) else { return false }
        credentials[id]?.name = name
        return true
    }

    mutating func remove(_ id: [UInt8], of account: String, retainingLast retainsLast: Bool) -> PasskeyRemoval
    {
        let key = Array(account.utf8)
        guard isOwner(account, of: id), let owner = accounts[key] else { return .unknown }
        guard owner.ids.count > 1 || !(retainsLast || owner.isPasskeyRequired) else { return .last }
        credentials[id] = nil
        accounts[key]?.ids.removeAll { $0 == id }
        return .removed
    }

    mutating func removeAll(of name: String) -> Int {
        let key = Array(name.utf8)
        let ids = accounts[key]?.ids ?? []
        for id in ids { credentials[id] = nil }
        accounts[key]?.ids = []
        accounts[key]?.isPasskeyRequired = false
        return ids.count
    }

    func state(of name: String) -> PasskeyAccountState {
        guard let account = accounts[Array(name.utf8)] else { return PasskeyAccountState() }
        return PasskeyAccountState(
            passkeyCount: account.ids.count,
            isPasskeyRequired: account.isPasskeyRequired
        )
    }

    mutating func setPasskeyRequired(_ isRequired: Bool, of name: String) -> Bool {
        let key = Array(name.utf8)
        guard !isRequired || accounts[key]?.ids.isEmpty == false else { return false }
        accounts[key]?.isPasskeyRequired = isRequired
        return true
    }

    private func isOwner(_ account: String, of id: [UInt8]) -> Bool {
        credentials[id]?.account.utf8.elementsEqual(account.utf8) ?? false
    }
}
