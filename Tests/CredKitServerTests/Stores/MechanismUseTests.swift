// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitServer

/// Counting, and handing the counts to a store.
final class MechanismUseTests: XCTestCase {
    /// Keeps what it was given, and fails as often as a test tells it.
    private final class RecordingStore: MechanismUseStore {
        struct Broken: Error {}

        private struct State {
            var additions: [MechanismUse.Addition] = []
            var calls = 0
            var failing: ClosedRange<Int>?
        }

        private let state = Lock(State())

        /// Makes the calls with these numbers fail, the next one being 1.
        func fail(_ calls: ClosedRange<Int>) {
            state.withLock { state in
                state.calls = 0
                state.failing = calls
            }
        }

        var additions: [MechanismUse.Addition] { state.withLock { $0.additions } }

        func add(_ addition: MechanismUse.Addition) throws {
            try state.withLock { state in
                state.calls += 1
                if state.failing?.contains(state.calls) ?? false { throw Broken() }
                state.additions.append(addition)
            }
        }

        func counts() -> [MechanismUse.Count] { [] }
        func accounts(using _: String, since _: UnixTime) -> [String] { [] }

        func logins(_ mechanism: String) -> Int {
            additions.filter { $0.mechanism == mechanism }.reduce(0) { $0 + $1.logins }
        }

        var accounts: Set<[UInt8]> { Set(additions.flatMap(\.accounts).map { Array($0.account.utf8) }) }
    }

    private let now = UnixTime(1_800_000_000)

    private func assertFails(_ use: MechanismUse, _ store: RecordingStore, line: UInt = #line) async {
        do {
            try await use.save(to: store)
            XCTFail("no error", line: line)
        } catch {
            XCTAssertEqual(error.code, .storeFailed, line: line)
            XCTAssertTrue(error.underlying is RecordingStore.Broken, "\(error)", line: line)
        }
    }

    func testOnlyWhatIsNewIsSaved() async throws {
        let (use, store) = (MechanismUse(), RecordingStore())
        try await use.save(to: store)
        XCTAssertEqual(store.additions, [])
        use.record("a", account: "alice", at: now)
        use.record("a", account: "alice", at: now - .seconds(5))
        try await use.save(to: store)
        let alice = MechanismUse.AccountUse(account: "alice", lastUse: now)
        XCTAssertEqual(
            store.additions,
            [.init(mechanism: "a", logins: 2, lastUse: now, accounts: [alice])]
        )
        try await use.save(to: store)
        XCTAssertEqual(store.additions.count, 1)
        use.record("a", account: "bob", at: now + .seconds(1))
        try await use.save(to: store)
        let bob = MechanismUse.AccountUse(account: "bob", lastUse: now + .seconds(1))
        XCTAssertEqual(
            store.additions.last,
            .init(mechanism: "a", logins: 1, lastUse: now + .seconds(1), accounts: [bob])
        )
        // What was counted stays here as well.
        XCTAssertEqual(use.counts.map(\.logins), [3])
        XCTAssertEqual(use.counts.map(\.accounts), [2])
    }

    func testAFailingStoreGivesBackWhatIsSavedOnceLater() async throws {
        for failing in [1...1, 2...2, 3...3] {
            let (use, store) = (MechanismUse(), RecordingStore())
            // Three additions.
            for number in 0..<1200 { use.record("a", account: "\(number)", at: now) }
            store.fail(failing)
            await assertFails(use, store)
            for number in 1190..<1210 { use.record("a", account: "\(number)", at: now + .seconds(1)) }
            use.record("b", account: "alice", at: now)
            store.fail(1...1)
            await assertFails(use, store)
            try await use.save(to: store)
            try await use.save(to: store)
            XCTAssertEqual(store.logins("a"), 1220, "\(failing)")
            XCTAssertEqual(store.logins("b"), 1, "\(failing)")
            XCTAssertEqual(store.accounts.count, 1211, "\(failing)")
            let latest = store.additions.flatMap(\.accounts).filter { $0.account == "1195" }.map(\.lastUse)
                .max()
            XCTAssertEqual(latest, now + .seconds(1))
        }
    }

    func testAdditionsAreBounded() async throws {
        let (use, store) = (MechanismUse(), RecordingStore())
        let long = String(repeating: "x", count: 100_000)
        for number in 0..<7 { use.record("long", account: "\(long)\(number)", at: now) }
        use.record("huge", account: String(repeating: "y", count: 1 << 20), at: now)
        for number in 0..<1001 { use.record("many", account: "\(number)", at: now) }
        try await use.save(to: store)
        let sizes = Dictionary(grouping: store.additions, by: \.mechanism).mapValues { additions in
            additions.map(\.accounts.count).sorted()
        }
        XCTAssertEqual(sizes, ["long": [1, 2, 2, 2], "huge": [1], "many": [1, 500, 500]])
    }

    func testMemoryIsBoundedWhileAStoreFails() async throws {
        let (use, store) = (MechanismUse(accountLimit: 10), RecordingStore())
        store.fail(1...1000)
        for round in 0..<20 {
            for number in 0..<10 { use.record("a", account: "\(round) \(number)", at: now) }
            await assertFails(use, store)
        }
        store.fail(1001...1001)
        try await use.save(to: store)
        XCTAssertEqual(store.logins("a"), 200)
        XCTAssertEqual(store.accounts.count, 10)
    }

    func testConcurrentSavesHandOverNothingTwice() async throws {
        let (use, store) = (MechanismUse(), RecordingStore())
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask { [now] in
                    for number in 0..<500 {
                        use.record("a", account: "\(task) \(number)", at: now)
                        if number.isMultiple(of: 10) { try await use.save(to: store) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await use.save(to: store)
        XCTAssertEqual(store.logins("a"), 4000)
        XCTAssertEqual(store.additions.flatMap(\.accounts).count, 4000)
        XCTAssertEqual(store.accounts.count, 4000)
    }
}
