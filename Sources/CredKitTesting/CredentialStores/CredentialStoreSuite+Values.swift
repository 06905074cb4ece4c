// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain

extension CredentialStoreSuite {
    func savesSecrets() async throws {
        let store = try await makeStore()
        let key = key("a")
        var million = [UInt8](repeating: 0, count: 1 << 20)
        for index in million.indices { million[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 8) }
        let secrets: [[UInt8]] = [
            [], [0], Array("ünï¢ødé 🔑 \u{301}".utf8), Array("two\nlines\n".utf8), Array("  \\s\t".utf8),
            [0xFF, 0, 0xFE],
            Array(0...255), million,
        ]
        for secret in secrets {
            let credential = Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
            try await store.set(credential)
            let read = try await store.credential(for: key)
            try SuiteFailure.check(
                read?.secret == credential.secret,
                "a secret of \(secret.count) bytes that begins with \(secret.prefix(8)) has changed"
            )
        }
        let tooLong = Credential(item: CredentialItem(key: key), secret: try SecretBytes(million + [0]))
        try await expect(.overLimit, from: "storing a secret of 1 MiB + 1 byte") {
            try await store.set(tooLong)
        }
        try await expect(nil, CredentialKey(service: "other", account: nil), in: store)
        let count = try await store.credential(for: key)?.secret.count
        try SuiteFailure.expect(count, toEqual: 1 << 20, "the size of the secret after a refused replacement")
    }

    func savesNames() async throws {
        let store = try await makeStore()
        let long = String(repeating: "n", count: 4096)
        let names = ["ünï 🔑", "with space", "a=b;c\\d\"'", "line\nfeed", "<&>%s%n", "/path/../x", long]
        for name in names {
            let key = CredentialKey(service: name, account: name, attributes: ["x-" + name.prefix(64): name])
            let item = CredentialItem(key: key, label: name)
            try await store.set(Credential(item: item, secret: SecretBytes(name)))
        }
        let items = try await store.items(service: nil)
        try SuiteFailure.check(Set(items.map(\.service)) == Set(names), "the services of all items differ")
        for name in names {
            let found = try await store.credential(for: CredentialKey(service: name, account: name))
            let isUnchanged =
                try found?.secret == SecretBytes(name) && found?.item.label == name
                && found?.item.key.attributes["x-" + name.prefix(64)] == name
            try SuiteFailure.check(isUnchanged, "the item named \(name.prefix(20)) has changed")
        }
    }

    func refusesInvalidItems() async throws {
        let store = try await makeStore()
        let long = String(repeating: "n", count: 4097)
        let many = Dictionary(uniqueKeysWithValues: (0...64).map { ("x\($0)", "") })
        let keys: [(CredentialKey, KeychainError)] = [
            (CredentialKey(service: "", account: "a"), .invalid),
            (CredentialKey(service: "s\0", account: nil), .invalid),
            (CredentialKey(service: "s", account: "\0"), .invalid),
            (CredentialKey(service: "s", account: nil, attributes: ["": "x"]), .invalid),
            (CredentialKey(service: "s", account: nil, attributes: ["username": "x"]), .invalid),
            (CredentialKey(service: long, account: nil), .overLimit),
            (CredentialKey(service: "s", account: long), .overLimit),
            (CredentialKey(service: "s", account: nil, attributes: [long: "x"]), .overLimit),
            (CredentialKey(service: "s", account: nil, attributes: many), .overLimit),
        ]
        for (key, expected) in keys {
            let refused = try credential(key, "x")
            let name = "\("\(key)".prefix(60))"
            try await expect(expected, from: "storing \(name)") { try await store.set(refused) }
            try await expect(expected, from: "a batch with \(name)") {
                try await store.update([.set(refused)])
            }
        }
        let items = try await store.items(service: nil)
        try SuiteFailure.expect(items, toEqual: [], "the items after refusals")
        try await expect(nil, CredentialKey(service: "s\0t", account: nil), in: store)
    }
}
