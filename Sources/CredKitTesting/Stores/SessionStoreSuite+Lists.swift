// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

// The sessions of a user, and the end of all but one.
extension SessionStoreSuite {
    func checkLists() async throws {
        let fixture = try await fixture()
        try await fixture.expectList([], "an unknown user")
        for name in ["3", "1", "2"] { try await fixture.create(name) }
        // Another user, also where strings of Swift are equal.
        try await fixture.create("b", of: "\u{E9}")
        try await fixture.create("c", of: "e\u{301}")
        try await fixture.expectList(["2", "1", "3"], "the newest first")
        try await fixture.expectList(["b"], of: "\u{E9}", "a name that equals another one as a string")
        try await fixture.expectList(["c"], of: "e\u{301}", "a name that equals another one as a string")
        try await fixture.store.revoke(fixture.key("1"))
        try await fixture.expectList(["2", "3"], "after one was revoked")
        try await fixture.store.revokeAll(of: fixture.prefix + "alice")
        try await fixture.expectList([], "after all were revoked")
        try await fixture.create("4")
        try await fixture.expectList(["4"], "one that was created after all were revoked")

        var limits = SessionLimits()
        limits.perUserLimit = 2
        for name in ["5", "6", "7"] { try await fixture.create(name, limits: limits) }
        try await fixture.expectList(["7", "6"], "a user over the limit")
        for name in HostileNames.all { try await fixture.create("of \(name)", of: "hostile \(name)") }
        for name in HostileNames.all {
            try await fixture.expectList(["of \(name)"], of: "hostile \(name)", "a hostile name")
        }
        try await checkAges()
    }

    private func checkAges() async throws {
        let fixture = try await fixture()
        var limits = SessionLimits()
        (limits.lifetime, limits.idleLifetime) = (.seconds(12), .seconds(4))
        var long = SessionLimits()
        long.idleLifetime = .seconds(80)
        try await fixture.create("long", limits: long)
        try await fixture.create("short", limits: limits)
        try await advance(.milliseconds(2500))
        // Lists are no use, and this is one.
        try await fixture.expectList(["short", "long"], "before the idle lifetime")
        try await fixture.expect("alice", of: "short", "a session in use")
        try await advance(.milliseconds(2500))
        let sessions = try await fixture.store.sessions(of: fixture.prefix + "alice")
        try SuiteFailure.check(
            sessions.map(\.key) == [fixture.key("short"), fixture.key("long")],
            "a session that was used must be in the list"
        )
        for session in sessions {
            // A test of a store with its own clock may be slow.
            try SuiteFailure.check(
                session.age >= .milliseconds(4900) && session.age < .seconds(4000),
                "the age of a session must be 5 s, but is \(session.age)"
            )
        }
        let (short, unused) = (sessions[0].idle, sessions[1].idle)
        try SuiteFailure.check(
            short >= .milliseconds(2400) && short < sessions[0].age && unused >= .milliseconds(4900)
                && unused <= sessions[1].age,
            "the idle times must be 2.5 s and 5 s, but are \(short) and \(unused)"
        )
        try await advance(.milliseconds(4500))
        try await fixture.expectList(["long"], "a session that was not used in its idle lifetime")
    }

    func checkOthers() async throws {
        let fixture = try await fixture()
        let user = fixture.prefix + "alice"
        for name in ["1", "2", "3"] { try await fixture.create(name) }
        try await fixture.create("b", of: "bob")
        try await fixture.store.revokeOthers(of: user, retaining: fixture.key("2"))
        for name in ["1", "3"] { try await fixture.expect(nil, of: name, "a session that was not kept") }
        try await fixture.expect("alice", of: "2", "the session that was kept")
        try await fixture.expect("bob", of: "b", "a session of another user")
        try await fixture.expectList(["2"], "the session that was kept")
        try await fixture.create("4")
        try await fixture.expectList(["4", "2"], "a session after the others were revoked")
        // The oldest one is still the one that was kept.
        var limits = SessionLimits()
        limits.perUserLimit = 2
        try await fixture.create("5", limits: limits)
        try await fixture.expectList(["5", "4"], "the kept session as the oldest one")
        try await fixture.store.revokeAll(of: user)
        try await fixture.expectList([], "after all were revoked")

        for (key, what) in [
            ("b", "of another user"), ("2", "that has ended"), ("unknown", "that is unknown"),
        ] {
            try await fixture.create("new \(key)")
            try await fixture.store.revokeOthers(of: user, retaining: fixture.key(key))
            try await fixture.expectList([], "all but a session \(what)")
            try await fixture.expect(nil, of: "new \(key)", "all but a session \(what)")
        }
        try await fixture.expect("bob", of: "b", "the session of another user that should be kept")
        try await fixture.expect(nil, of: "2", "a session that had ended and should be kept")

        // Its lifetime is not prolonged.
        (limits.lifetime, limits.idleLifetime) = (.seconds(4), .seconds(4))
        try await fixture.create("6", limits: limits)
        try await advance(.milliseconds(2500))
        try await fixture.store.revokeOthers(of: user, retaining: fixture.key("6"))
        try await fixture.expect("alice", of: "6", "the session that was kept")
        try await advance(.milliseconds(2500))
        try await fixture.expect(nil, of: "6", "a kept session after its lifetime")
    }

    /// Sessions are created while others are revoked: none from before the last revocation is left but the kept one.
    func checkConcurrentOthers() async throws {
        let fixture = try await fixture()
        let user = fixture.prefix + "alice"
        var limits = SessionLimits()
        limits.perUserLimit = 2 * ConcurrentCalls.count
        let many = limits
        try await fixture.create("kept", limits: many)
        _ = try await ConcurrentCalls.run { index in
            if index.isMultiple(of: 4) {
                try await fixture.store.revokeOthers(of: user, retaining: fixture.key("kept"))
            } else {
                try await fixture.create("\(index)", limits: many)
            }
        }
        try await fixture.expect("alice", of: "kept", "the session that was kept")
        try await fixture.store.revokeOthers(of: user, retaining: fixture.key("kept"))
        try await fixture.expectList(["kept"], "after all others were revoked")
        for index in 0..<ConcurrentCalls.count {
            try await fixture.expect(nil, of: "\(index)", "a session that was not kept")
        }
    }
}

extension SessionStoreSuite.Fixture {
    func expectList(_ expected: [String], of user: String = "alice", _ what: String) async throws {
        let found = try await store.sessions(of: prefix + user).map(\.key)
        let names = Dictionary(expected.map { (key($0), $0) }) { $1 }
        try SuiteFailure.check(
            found == expected.map(key),
            "\(what): the list of sessions must be \(expected), but is \(found.map { names[$0] ?? "another one" })"
        )
    }
}
