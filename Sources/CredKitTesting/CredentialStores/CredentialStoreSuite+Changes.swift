// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain

extension CredentialStoreSuite {
    func searchesItems() async throws {
        let store = try await makeStore()
        let names: [(String, String?)] = [("t", "b"), ("s", "c"), ("s", nil), ("t", "a"), ("s", "")]
        for (service, account) in names {
            let kind = ["kind": service + "-kind"]
            let key = CredentialKey(service: service, account: account, attributes: kind)
            try await store.set(credential(key, "x"))
        }
        for (service, expected) in [
            (nil, ["s/-", "s/", "s/c", "t/a", "t/b"]), ("t", ["t/a", "t/b"]), ("u", []),
        ] {
            let found = try await store.items(service: service)
            let names = found.map { $0.service + "/" + ($0.account ?? "-") }
            try SuiteFailure.expect(names, toEqual: expected, "the items of the service \(service ?? "*")")
        }
        for (attributes, count) in [
            (["kind": "s-kind"], 3), (["service": "s", "username": "c", "kind": "s-kind"], 1),
            (["service": "s", "kind": "t-kind"], 0), ([:], 5),
        ] {
            let found = try await store.search(attributes)
            try SuiteFailure.expect(found.count, toEqual: count, "the number of items with \(attributes)")
        }
    }

    func updatesAtomically() async throws {
        let store = try await makeStore()
        let (a, b, c) = (key("a"), key("b"), key("c"))
        try await store.update([.set(credential(a, "1")), .set(credential(b, "2")), .delete(c)])
        try await store.update([.set(credential(a, "3")), .delete(b), .set(credential(c, "4"))])
        let expected: [(String?, CredentialKey)] = [("3", a), (nil, b), ("4", c)]
        for (secret, key) in expected { try await expect(secret, key, in: store) }
        // Two items between which a later change cannot choose, so that it fails after those before it were made.
        for realm in ["x", "y"] {
            let key = CredentialKey(service: "two", account: nil, attributes: ["realm": realm])
            try await store.set(credential(key, realm))
        }
        let changes: [CredentialChange] = [
            .set(try credential(a, "5")), .set(try credential(b, "6")), .delete(c),
            .delete(CredentialKey(service: "two", account: nil)),
        ]
        try await expect(.ambiguous, from: "a batch with an ambiguous change") {
            try await store.update(changes)
        }
        for (secret, key) in expected { try await expect(secret, key, in: store) }
        let count = try await store.items(service: nil).count
        try SuiteFailure.expect(count, toEqual: 4, "the number of items after a refused batch")
    }

    func staysLocked() async throws {
        let store = try await makeStore()
        guard store.capabilities.contains(.locking) else { return }
        try await store.set(credential(key("a"), "x"))
        try await store.lock()
        let refused = try credential(key("b"), "x")
        let calls: [(String, () async throws -> Void)] = [
            ("a query", { _ = try await store.credential(for: key("a")) }),
            ("a query for an unknown item", { _ = try await store.credential(for: key("unknown")) }),
            ("a list", { _ = try await store.items(service: nil) }),
            ("storing", { try await store.set(refused) }),
            ("deleting", { try await store.delete(key("a")) }),
        ]
        for (name, call) in calls { try await expect(.locked, from: "\(name) while locked", call) }
        if let unlockWithoutPrompt {
            try await expect(.locked, from: "unlocking without a prompt") { try await store.unlock() }
            try await unlockWithoutPrompt(store)
        } else {
            try await store.unlock()
        }
        try await expect("x", key("a"), in: store)
        try await expect(nil, key("b"), in: store)
    }

    func servesManyTasks() async throws {
        let store = try await makeStore()
        let shared = key("shared")
        try await store.set(credential(shared, "begin"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let own = key("task \(task)")
                    for round in 0..<5 {
                        let secret = "\(task) \(round)"
                        try await store.set(credential(own, secret))
                        try await store.set(credential(shared, secret))
                        try await expect(secret, own, in: store)
                        let common = try await store.credential(for: shared)
                        try SuiteFailure.check(common != nil, "the shared item is missing for a moment")
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await store.items(service: "s").count
        try SuiteFailure.expect(count, toEqual: 9, "the number of items")
    }
}
