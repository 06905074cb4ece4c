// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

/// What the stores of both engines must do for servers that save to them.
enum MechanismUseChecks {
    /// Random logins at several servers are counted as by a single one.
    static func checkRandomLogins(_ store: some MechanismUseStore) async throws {
        let names = [
            "", "alice", "alice ", "\0", "alice\0bob", "\u{E9}", "e\u{301}", "' OR 1=1 --", "💧", "a,b",
            "\\x00",
        ]
        let now = UnixTime.now
        let (all, servers) = (MechanismUse(), (0..<3).map { _ in MechanismUse() })
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 0...12) {
                let mechanism = ["scram", "password", "timestamped"].randomElement() ?? ""
                let account = names.randomElement() ?? ""
                let time = now - .seconds(.random(in: 1...100))
                all.record(mechanism, account: account, at: time)
                servers.randomElement()?.record(mechanism, account: account, at: time)
            }
            guard round == 59 else {
                try await servers[.random(in: 0..<3)].save(to: store)
                continue
            }
            for server in servers { try await server.save(to: store) }
        }
        let counts = try await store.counts()
        XCTAssertEqual(counts, all.counts)
        for count in all.counts {
            for seconds in [0, 1, 2, 5, 20, 50, 99, 100, 101] {
                let start = now - .seconds(seconds)
                let found = try await store.accounts(using: count.mechanism, since: start)
                // Names that are equal for Swift have no order.
                XCTAssertEqual(
                    Set(found.map { Array($0.utf8) }),
                    Set(all.accounts(using: count.mechanism, since: start).map { Array($0.utf8) }),
                    "\(count.mechanism) \(seconds)"
                )
            }
        }
    }

    /// Servers that count and save at the same time, each with a client of its own, add up exactly.
    static func checkConcurrentServers(_ stores: [any MechanismUseStore]) async throws {
        let time = UnixTime.now - .seconds(1)
        try await withThrowingTaskGroup { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    let use = MechanismUse()
                    for round in 0..<20 {
                        for number in 0..<50 {
                            use.record("scram", account: "\((index * 10 + round + number) % 100)", at: time)
                        }
                        try await use.save(to: store)
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = try await stores[0].counts()
        let expected = MechanismUse.Count(
            mechanism: "scram",
            logins: stores.count * 1000,
            accounts: 100,
            lastUse: time
        )
        XCTAssertEqual(counts, [expected])
    }

    /// An addition of one account.
    static func addition(_ account: String, age: Duration) -> MechanismUse.Addition {
        let time = UnixTime.now - age
        return .init(
            mechanism: "scram",
            logins: 1,
            lastUse: time,
            accounts: [.init(account: account, lastUse: time)]
        )
    }
}
