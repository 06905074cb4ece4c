// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import FoundationEssentials

extension CredentialStoreSuite {
    func storesItems() async throws {
        let store = try await makeStore()
        let key = key("a")
        try await expect(nil, key, in: store)
        for secret in ["one", "two"] {
            try await store.set(credential(key, secret))
            try await expect(secret, key, in: store)
        }
        let items = try await store.items(service: "s")
        try SuiteFailure.expect(items.map(\.key.account), toEqual: ["a"], "the accounts of the service")
        for isThere in [true, false] {
            let isDeleted = try await store.delete(key)
            try SuiteFailure.expect(isDeleted, toEqual: isThere, "whether delete(_:) found an item")
        }
        try await expect(nil, key, in: store)
    }

    func separatesAccounts() async throws {
        let bare = CredentialKey(service: "s", account: nil)
        let (full, empty) = (key("a"), key(""))
        for order in [[bare, full, empty], [full, empty, bare], [empty, bare, full]] {
            let store = try await makeStore()
            for key in order { try await store.set(credential(key, "\(key)")) }
            for key in order { try await expect("\(key)", key, in: store) }
            for key in order { try await store.set(credential(key, "new \(key)")) }
            for key in order { try await expect("new \(key)", key, in: store) }
            try await store.delete(bare)
            try await expect(nil, bare, in: store)
            for key in [full, empty] { try await expect("new \(key)", key, in: store) }
        }
    }

    func comparesBytes() async throws {
        let store = try await makeStore()
        // Swift treats these as equal.
        let keys = [key("\u{E9}"), key("e\u{301}")]
        for (index, key) in keys.enumerated() { try await store.set(credential(key, "\(index)")) }
        for (index, key) in keys.enumerated() { try await expect("\(index)", key, in: store) }
        for service in ["K", "\u{212A}"] {
            try await store.set(credential(CredentialKey(service: service, account: "a"), "of \(service)"))
        }
        let items = try await store.items(service: "K")
        try SuiteFailure.expect(
            items.count,
            toEqual: 1,
            "the number of items of a service with a K in its name"
        )
        try await store.delete(keys[0])
        try await expect(nil, keys[0], in: store)
        try await expect("1", keys[1], in: store)
    }

    func distinguishesAttributes() async throws {
        let store = try await makeStore()
        let plain = key("a")
        let (x, y) = (
            CredentialKey(service: "s", account: "a", attributes: ["realm": "x"]),
            CredentialKey(service: "s", account: "a", attributes: ["realm": "y"])
        )
        try await store.set(credential(x, "of x"))
        // It is the only item with this service and account.
        try await expect("of x", plain, in: store)
        try await store.set(credential(y, "of y"))
        let error = try await expect(.ambiguous, from: "a query that matches two items") {
            _ = try await store.credential(for: plain)
        }
        try SuiteFailure.expect(error.candidates.count, toEqual: 2, "the number of candidates")
        try SuiteFailure.check(
            error.candidates.contains { $0.contains("realm=x") },
            "the candidates do not name their attributes: \(error.candidates)"
        )
        try await expect(.ambiguous, from: "deleting one of two items") { try await store.delete(plain) }
        try await expect("of x", x, in: store)
        // Once an item has exactly this key, the key selects it.
        try await store.set(credential(plain, "of plain"))
        try await expect("of plain", plain, in: store)
        try await store.delete(plain)
        try await expect("of x", x, in: store)
        try await expect("of y", y, in: store)
    }

    func separatesPurposes() async throws {
        let store = try await makeStore()
        let keys =
            [key("a")]
            + CredentialKey.Purpose.allCases.map { CredentialKey($0, service: "s", account: "a") }
        for (number, own) in keys.enumerated() {
            for other in keys[number...] { try await expect(nil, other, in: store) }
            try await store.set(credential(own, "secret \(number)"))
        }
        for (number, own) in keys.enumerated() { try await expect("secret \(number)", own, in: store) }
        for (number, own) in keys.enumerated() {
            let isDeleted = try await store.delete(own)
            try SuiteFailure.expect(isDeleted, toEqual: true, "whether \(own) was deleted")
            try await expect(nil, own, in: store)
            for (later, other) in keys.enumerated().dropFirst(number + 1) {
                try await expect("secret \(later)", other, in: store)
            }
        }
    }

    func savesProperties() async throws {
        let store = try await makeStore()
        let key = key("a")
        let begin = Date().addingTimeInterval(-2)
        let item = CredentialItem(key: key, label: "A label with ünicode", contentType: "application/json")
        try await store.set(Credential(item: item, secret: SecretBytes("{}")))
        guard let stored = try await store.credential(for: key)?.item else {
            throw SuiteFailure("the item is missing")
        }
        try SuiteFailure.expect(stored.label, toEqual: item.label, "the label")
        if savesContentTypes {
            try SuiteFailure.expect(stored.contentType, toEqual: item.contentType, "the content type")
        }
        let now = begin...Date().addingTimeInterval(1)
        for (name, time) in [("created", stored.created), ("modified", stored.modified)] {
            try SuiteFailure.check(
                time.map { now.contains($0) } ?? false,
                "\(name) is not now: \(time as Any)"
            )
        }
        let another = CredentialItem(key: key, label: "Another")
        try await store.set(Credential(item: another, secret: SecretBytes("x")))
        let relabelled = try await store.items(service: nil)
        try SuiteFailure.expect(
            relabelled.map(\.label),
            toEqual: ["Another"],
            "the labels after a replacement"
        )
        try SuiteFailure.expect(
            relabelled.first?.created,
            toEqual: stored.created,
            "the time of creation after a replacement"
        )
    }
}
