// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

// The content of a file of passkeys.
extension PasskeyTable {
    /// The version of the format.
    private static let version: Int64 = 1

    /// The table as JSON, the accounts in the order of the bytes of their names.
    var json: StrictJSON {
        let sorted = accounts.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return .object([
            "version": .number("\(Self.version)"),
            "accounts": .array(sorted.map { json(of: $0.value) }),
        ])
    }

    private func json(of account: Account) -> StrictJSON {
        .object([
            "name": .string(account.name),
            "userHandle": .bytes(account.handle),
            "isPasskeyRequired": .bool(account.isPasskeyRequired),
            "passkeys": .array(account.ids.compactMap { credentials[$0]?.json }),
        ])
    }

    /// Reads a table; `nil` if a member is missing or invalid, or if two accounts or passkeys are one.
    init?(_ json: StrictJSON) {
        guard let members = json.object, members["version"]?.integer == Self.version,
            let list = members["accounts"]?.array
        else { return nil }
        var accounts: [Account] = []
        var credentials: [PasskeyCredential] = []
        for element in list {
            guard let account = element.object, let name = account["name"]?.string,
                let handle = account["userHandle"]?.decoded, 1...64 ~= handle.count,
                let isRequired = account["isPasskeyRequired"]?.bool,
                let passkeys = account["passkeys"]?.array
            else { return nil }
            accounts.append(Account(name: name, handle: handle, isPasskeyRequired: isRequired))
            for passkey in passkeys {
                guard let credential = PasskeyCredential(passkey, account: name, handle: handle) else {
                    return nil
                }
                credentials.append(credential)
            }
        }
        self.init(accounts)
        for credential in credentials {
            guard add(credential, limit: .max) == .added else { return nil }
        }
    }
}

extension PasskeyCredential {
    fileprivate var json: StrictJSON {
        var members: [String: StrictJSON] = [
            "id": .bytes(id),
            "publicKey": .bytes(record.publicKey),
            "signCount": .number("\(record.signCount)"),
            "isUserVerificationInitialized": .bool(record.isUserVerificationInitialized),
            "isBackupEligible": .bool(record.isBackupEligible),
            "isBackedUp": .bool(record.isBackedUp),
            "transports": .array(record.transports.map { .string($0) }),
            "aaguid": .bytes(record.aaguid),
            "name": .string(name),
            "created": .number("\(created.seconds)"),
        ]
        if let lastUse { members["lastUse"] = .number("\(lastUse.seconds)") }
        return .object(members)
    }

    fileprivate init?(_ json: StrictJSON, account: String, handle: [UInt8]) {
        guard let members = json.object, let id = members["id"]?.decoded, 1...1_023 ~= id.count,
            let publicKey = members["publicKey"]?.decoded,
            let signCount = members["signCount"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let isInitialized = members["isUserVerificationInitialized"]?.bool,
            let isBackupEligible = members["isBackupEligible"]?.bool,
            let isBackedUp = members["isBackedUp"]?.bool,
            let words = members["transports"]?.array, let aaguid = members["aaguid"]?.decoded,
            let name = members["name"]?.string, let created = members["created"]?.integer
        else { return nil }
        let transports = words.compactMap(\.string)
        let lastUse = members["lastUse"]?.integer
        guard transports.count == words.count, lastUse != nil || members["lastUse"] == nil else { return nil }
        let record = WebAuthn.CredentialRecord(
            id: id,
            publicKey: publicKey,
            userHandle: handle,
            signCount: signCount,
            isUserVerificationInitialized: isInitialized,
            isBackupEligible: isBackupEligible,
            isBackedUp: isBackedUp,
            transports: transports,
            aaguid: aaguid
        )
        self.init(
            account: account,
            record: record,
            name: name,
            created: UnixTime(created),
            lastUse: lastUse.map { UnixTime($0) }
        )
    }
}

extension StrictJSON {
    /// The number, if it is a whole one that fits.
    fileprivate var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

    fileprivate static func bytes(_ bytes: [UInt8]) -> StrictJSON {
        .string(Base64.urlSafe.unpadded.encode(bytes))
    }

    /// The bytes of a text in base64url.
    fileprivate var decoded: [UInt8]? { string.flatMap { try? Base64.urlSafe.unpadded.decode($0) } }
}
