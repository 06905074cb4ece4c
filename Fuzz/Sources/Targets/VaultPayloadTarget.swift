// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitKeychain
import FoundationEssentials

extension FuzzTarget {
    /// Feeds decrypted payloads of vaults to the code that looks up and changes items; most of them written by that code
    /// and changed in a few bytes.
    static let vaultPayload = FuzzTarget("vault-payload") { bytes in
        var input = FuzzInput(bytes)
        let mode = input.byte()
        if mode & 3 == 3 {
            try VaultPayloadProperties.check(
                VaultPayloadProperties.padded(input.remaining),
                key: .init("a", nil)
            )
            return
        }
        let editCount = Int(mode >> 2) % 8
        let edits = (0..<editCount).map { _ in (input.byte(), input.byte(), input.byte()) }
        let changes = try FuzzCredentials.changes(&input)
        let key = changes.last?.key ?? CredentialKey("a", nil)
        let made = Result { () throws(KeychainError) in
            try VaultPayload.empty().applying(changes, at: Date(timeIntervalSince1970: 1_000_000_000.125))
        }
        guard case .success(let payload) = made else { return }
        var plaintext = payload.memory.copy
        if editCount == 0 {
            try payload.verify()
            try VaultPayloadProperties.checkValid(payload, key: key)
        }
        let contentByteCount = plaintext[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        for (high, low, value) in edits {
            plaintext[(Int(high) << 8 | Int(low)) % min(contentByteCount + 4, plaintext.count)] = value
        }
        try VaultPayloadProperties.check(plaintext, key: key)
    }
}

extension CredentialKey {
    init(_ service: String, _ account: String?) { self.init(service: service, account: account) }
}

enum VaultPayloadProperties {
    /// Returns the bytes after their size, padded with zeros as in a vault.
    static func padded(_ content: [UInt8]) -> [UInt8] {
        let size = UInt64(content.count + 8)
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) } + content
        return bytes
            + Array(repeating: 0, count: Padding.paddedByteCount(bytes.count, minimum: 4096) - bytes.count)
    }

    /// All functions answer or throw for any payload; those that verification accepts are consistent.
    static func check(_ plaintext: [UInt8], key: CredentialKey) throws {
        let memory = try SecretBytes(plaintext)
        guard let payload = try? VaultPayload(opened: memory) else { return }
        let credentials = try? payload.credentials()
        let items = try? payload.items(service: nil)
        _ = try? payload.items(service: key.service)
        _ = try? payload.search(key.allAttributes)
        _ = try? payload.credential(for: key)
        let change = CredentialChange.set(
            Credential(item: CredentialItem(key: key), secret: try SecretBytes("new"))
        )
        let changed = try? payload.applying([change, .delete(CredentialKey("b", "c"))], at: Date())
        _ = try? changed?.verify()
        guard (try? payload.verify()) != nil else { return }
        try requireEqual(credentials?.count, payload.count, "all items of a verified payload are readable")
        try requireEqual(items?.count, payload.count, "all items of a verified payload are listed")
        try checkValid(payload, key: key)
    }

    /// Properties of a payload that passed verification.
    static func checkValid(_ payload: VaultPayload, key: CredentialKey) throws {
        let credentials = try payload.credentials()
        for credential in credentials {
            switch Result(catching: { () throws(KeychainError) in
                try payload.credential(for: credential.item.key)
            }) {
            case .success(let found?):
                try requireEqual(
                    CredentialImage(found),
                    CredentialImage(credential),
                    "an item is found by its key"
                )
            case .success(nil): throw PropertyFailure("an item is found by its key: \(credential.item.key)")
            case .failure(let error):
                try requireEqual(
                    error,
                    KeychainError.ambiguous,
                    "an item is found by its key, unless it is ambiguous"
                )
            }
        }
        let unchanged = try payload.applying([], at: Date())
        try require(unchanged.memory == payload.memory, "a payload without changes is the same")
        try checkChange(of: payload, key: key)
    }

    private static func checkChange(of payload: VaultPayload, key: CredentialKey) throws {
        let credential = Credential(item: CredentialItem(key: key), secret: try SecretBytes("new"))
        guard let changed = try? payload.applying([.set(credential)], at: Date()) else { return }
        try changed.verify()
        try require((0...1).contains(changed.count - payload.count), "setting an item adds at most one")
        let found = Result { () throws(KeychainError) in try changed.credential(for: key) }
        switch found {
        case .success(let found):
            try require(found?.secret == credential.secret, "a changed item is the one that was set")
        case .failure(let error):
            try requireEqual(
                error,
                KeychainError.ambiguous,
                "an item that was set is found, unless it is ambiguous"
            )
        }
        guard let shrunk = try? changed.applying([.delete(key)], at: Date()) else { return }
        try shrunk.verify()
        try requireEqual(shrunk.count, changed.count - 1, "deleting an item removes one")
    }
}

/// Makes credentials from an input.
enum FuzzCredentials {
    private static let words = [
        "", "a", "b", "ab", "c", "\u{E9}", "e\u{301}", "mail", "x\n", "service", "xdg:schema",
    ]

    static func changes(_ input: inout FuzzInput) throws -> [CredentialChange] {
        var changes: [CredentialChange] = []
        while !input.rest.isEmpty, changes.count < 24 {
            let credential = try credential(&input)
            changes.append(input.byte() & 7 == 7 ? .delete(credential.item.key) : .set(credential))
        }
        return changes
    }

    private static func credential(_ input: inout FuzzInput) throws -> Credential {
        let service = text(&input)
        let account = input.byte() & 1 == 0 ? nil : text(&input)
        var attributes: [String: String] = [:]
        for _ in 0..<input.number(below: 4) { attributes[text(&input)] = text(&input) }
        let key = CredentialKey(service: service, account: account, attributes: attributes)
        let label = input.byte() & 1 == 0 ? nil : text(&input)
        return Credential(item: CredentialItem(key: key, label: label), secret: try SecretBytes(input.line()))
    }

    private static func text(_ input: inout FuzzInput) -> String {
        let choice = Int(input.byte())
        guard choice >= words.count else { return words[choice] }
        return String(decoding: input.bytes(choice % 8), as: UTF8.self)
    }
}
