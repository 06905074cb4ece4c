// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitServer

extension PasskeyStoreSuite {
    func checkLimit(_ store: any PasskeyStore) async throws {
        let (account, other) = (try await account(), try await account())
        _ = try await store.userHandle(ofAccountNamed: account)
        let answers = try await ConcurrentCalls.run { _ in
            try await store.add(credential(of: account, in: store), limit: 3)
        }
        let stored = try await store.credentials(ofAccountNamed: account)
        let count = answers.count { $0 == .added }
        try SuiteFailure.check(
            count == 3 && stored.count == 3 && answers.count { $0 == .full } == answers.count - 3,
            "an account must never have more passkeys than the limit of 3, but has \(stored.count)"
        )
        let again = try await store.add(stored[0], limit: 3)
        try SuiteFailure.expect(again, toEqual: .refused, "adding a passkey once more to a full account")
        let theirs = try await store.add(credential(of: other, in: store), limit: 1)
        try SuiteFailure.expect(theirs, toEqual: .added, "adding a passkey of another account")
        try await add(credential(of: account, in: store), to: store)
    }

    func checkRenaming(_ store: any PasskeyStore) async throws {
        let (account, other) = (try await account(), try await account())
        let credential = try await added(1, to: account, in: store)[0]
        let isForeign = try await store.rename(credential.id, ofAccountNamed: other, to: "Mine")
        try SuiteFailure.check(!isForeign, "renaming the passkey of another account must return false")
        let isRenamed = try await store.rename(credential.id, ofAccountNamed: account, to: "Work")
        try SuiteFailure.check(isRenamed, "renaming a passkey must return true")
        var expected = credential
        expected.name = "Work"
        let stored = try await store.credential(id: credential.id)
        try SuiteFailure.expect(stored, toEqual: expected, "a renamed passkey")
    }

    func checkRemoval(_ store: any PasskeyStore) async throws {
        let (account, other) = (try await account(), try await account())
        let handle = try await store.userHandle(ofAccountNamed: account)
        let credentials = try await added(3, to: account, in: store)
        _ = try await added(1, to: other, in: store)
        let steps: [(Int, String, Bool, PasskeyRemoval, String)] = [
            (0, other, false, .unknown, "the passkey of another account"),
            (0, account, true, .removed, "one of three passkeys"),
            (0, account, true, .unknown, "a removed passkey"),
            (1, account, true, .removed, "one of two passkeys"),
            (2, account, true, .last, "the last passkey, which must stay"),
            (2, account, false, .removed, "the last passkey"),
        ]
        for (index, name, retainsLast, expected, subject) in steps {
            let answer = try await store.remove(
                credentials[index].id,
                ofAccountNamed: name,
                retainingLast: retainsLast
            )
            try SuiteFailure.expect(answer, toEqual: expected, "removing \(subject)")
        }
        for credential in credentials {
            let found = try await store.credential(id: credential.id)
            try SuiteFailure.check(found == nil, "a removed passkey must not be found")
        }
        let kept = try await store.userHandle(ofAccountNamed: account)
        try SuiteFailure.check(kept == handle, "the user handle must stay when all passkeys are removed")
        // The identifier is free again.
        try await add(credentials[0], to: store)
        let count = try await store.removeAll(ofAccountNamed: account)
        try SuiteFailure.check(count == 1, "removing all passkeys must return their number")
        let rest = try await store.credentials(ofAccountNamed: other)
        try SuiteFailure.check(rest.count == 1, "the passkeys of other accounts must stay")
        let none = try await store.removeAll(ofAccountNamed: self.account())
        try SuiteFailure.check(none == 0, "a new account must have no passkeys to remove")
    }

    func checkConcurrentRemoval(_ store: any PasskeyStore) async throws {
        let account = try await account()
        let credentials = try await added(8, to: account, in: store)
        let answers = try await ConcurrentCalls.run { index in
            try await store.remove(
                credentials[index % credentials.count].id,
                ofAccountNamed: account,
                retainingLast: true
            )
        }
        let count = answers.count { $0 == .removed }
        let rest = try await store.credentials(ofAccountNamed: account).count
        try SuiteFailure.check(
            count == 7 && rest == 1,
            "one passkey must stay when all are removed at once, but \(count) of 8 were removed"
        )
    }

    func checkRequirement(_ store: any PasskeyStore) async throws {
        let account = try await account()
        func expect(_ count: Int, _ isRequired: Bool, _ subject: String) async throws {
            let state = try await store.state(ofAccountNamed: account)
            let expected = PasskeyAccountState(passkeyCount: count, isPasskeyRequired: isRequired)
            try SuiteFailure.expect(state, toEqual: expected, "the state of \(subject)")
        }
        try await expect(0, false, "a new account")
        let isEarly = try await store.setPasskeyRequired(true, ofAccountNamed: account)
        try SuiteFailure.check(!isEarly, "an account without passkeys must not require one")
        let isOff = try await store.setPasskeyRequired(false, ofAccountNamed: account)
        try SuiteFailure.check(isOff, "requiring no passkey must return true")
        let credentials = try await added(2, to: account, in: store)
        try await expect(2, false, "an account with two passkeys")
        let isRequired = try await store.setPasskeyRequired(true, ofAccountNamed: account)
        try SuiteFailure.check(isRequired, "requiring a passkey must return true")
        try await expect(2, true, "an account that requires a passkey")
        for (index, expected) in [(0, .removed), (1, .last)] as [(Int, PasskeyRemoval)] {
            let answer = try await store.remove(
                credentials[index].id,
                ofAccountNamed: account,
                retainingLast: false
            )
            try SuiteFailure.expect(answer, toEqual: expected, "removing a passkey where one is required")
        }
        _ = try await store.removeAll(ofAccountNamed: account)
        try await expect(0, false, "an account whose passkeys were all removed")
    }

    func checkNames(_ store: any PasskeyStore) async throws {
        let prefix = HostileNames.uniquePrefix()
        var ids: [[UInt8]] = []
        for name in HostileNames.all {
            let account = try await account(name, prefix: prefix)
            ids.append(try await added(1, to: account, in: store)[0].id)
        }
        for (name, id) in zip(HostileNames.all, ids) {
            let found = try await store.credentials(ofAccountNamed: prefix + name)
            try SuiteFailure.check(
                found.map(\.id) == [id] && HostileNames.areEqual(found.first?.account, prefix + name),
                "accounts with different bytes must have different passkeys"
            )
        }
    }

    /// Adds passkeys to an account, and returns them.
    private func added(
        _ count: Int,
        to account: String,
        in store: any PasskeyStore
    ) async throws -> [PasskeyCredential] {
        var credentials: [PasskeyCredential] = []
        for _ in 0..<count {
            let credential = try await credential(of: account, in: store)
            try await add(credential, to: store)
            credentials.append(credential)
        }
        return credentials
    }
}
