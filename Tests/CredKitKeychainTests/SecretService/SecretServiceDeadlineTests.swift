// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKitSystem
import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// The store's errors and response times when the bus or the service misbehaves.
final class SecretServiceDeadlineTests: XCTestCase {
    private let bus = Shared<PrivateBus?>(nil)
    private static let key = CredentialKey(service: "s", account: "a")

    override func setUp() async throws {
        try PrivateBus.skipUnlessInstalled()
        bus.value = try PrivateBus()
    }

    override func tearDown() async throws { bus.value?.end() }

    /// Creates a store. Only tests of a deadline use a short one, so that a machine that stalls for a moment fails no
    /// other test.
    private func store(
        mode: PromptPolicy.Mode = .never,
        timeout: Duration = .seconds(30),
        promptTimeout: Duration = .seconds(30)
    ) throws -> SecretServiceStore {
        let promptPolicy = PromptPolicy(
            mode: mode,
            timeout: timeout,
            promptTimeout: promptTimeout
        )
        return SecretServiceStore(
            collection: nil,
            schema: .generic,
            promptPolicy: promptPolicy,
            address: try XCTUnwrap(bus.value).address
        )
    }

    private struct Answer: Sendable {
        var error: KeychainError?
        var seconds: Double
    }

    /// Calls the store; returns the error it threw and the seconds that the call took.
    private static func ask(_ store: SecretServiceStore) async -> Answer {
        let start = ContinuousClock.now
        let error: KeychainError?
        do {
            _ = try await store.credential(for: key)
            error = nil
        } catch let thrown {
            error = thrown
        }
        return Answer(error: error, seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    private func assertAsking(
        _ store: SecretServiceStore,
        throws expected: KeychainError?,
        within seconds: ClosedRange<Double> = 0...20,
        file: StaticString = #filePath,
        line: UInt = #line
    ) async {
        let answer = await Self.ask(store)
        XCTAssertEqual(answer.error, expected, "\(String(describing: answer.error))", file: file, line: line)
        XCTAssertTrue(seconds.contains(answer.seconds), "after \(answer.seconds) s", file: file, line: line)
    }

    func testMissingBusFailsAtOnce() async throws {
        let store = try store()
        bus.value?.end()
        await assertAsking(store, throws: .noBus)
    }

    /// The address of a bus that has ended can be taken by another user.
    func testBusOfAnotherUserIsRefused() async throws {
        guard getuid() == 0 else { throw XCTSkip("only root can become another user") }
        let bus = try XCTUnwrap(bus.value)
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        chmod(folder, 0o777)
        let listen = """
            import os, socket
            listener = socket.socket(socket.AF_UNIX); listener.bind("bus"); listener.listen(); open("ready", "w")
            peer = listener.accept()[0]
            open("part", "wb").write(b"received: " + peer.recv(100)); os.rename("part", "received")
            """
        try bus.start(
            "setpriv",
            [
                "--reuid=54321", "--regid=54321", "--clear-groups",
                "sh", "-c", "cd \(folder) && umask 0 && exec /usr/bin/python3 -c '\(listen)'",
            ]
        )
        try bus.wait { FileManager.default.fileExists(atPath: folder + "/ready") }
        let address = BusAddress(text: "unix:path=\(folder)/bus", source: .environment)
        let store = SecretServiceStore(
            collection: nil,
            schema: .generic,
            promptPolicy: PromptPolicy(timeout: .seconds(20)),
            address: address
        )
        await assertAsking(store, throws: .denied)
        try bus.wait { FileManager.default.fileExists(atPath: folder + "/received") }
        XCTAssertEqual(try String(contentsOfFile: folder + "/received", encoding: .utf8), "received: ")
    }

    func testMissingServiceFailsAtOnce() async throws {
        await assertAsking(try store(), throws: .noService)
        // The same store works as soon as a service is running.
        try bus.value?.startKeyring()
        await assertAsking(try store(), throws: nil)
    }

    func testUnresponsiveBusTimesOut() async throws {
        let path = try XCTUnwrap(bus.value).directory.appending(component: "mute").path
        let script = "import socket,time;s=socket.socket(1);s.bind('\(path)');s.listen();time.sleep(600)"
        try bus.value?.start("/usr/bin/python3", ["-c", script])
        try bus.value?.wait { UnixSocket.accepts(at: path) }
        let promptPolicy = PromptPolicy(timeout: .seconds(1))
        let store = SecretServiceStore(
            collection: nil,
            schema: .generic,
            promptPolicy: promptPolicy,
            address: BusAddress(text: "unix:path=\(path)", source: .environment)
        )
        await assertAsking(store, throws: .timedOut, within: 0.9...20)
    }

    func testUnresponsiveServiceTimesOutEachCall() async throws {
        try bus.value?.startFake("silent")
        let store = try store(timeout: .seconds(1))
        let start = ContinuousClock.now
        await withTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 { group.addTask { await SecretServiceDeadlineTests.ask(store) } }
            for await answer in group { XCTAssertEqual(answer.error, .timedOut) }
        }
        // All calls time out together, not one after the other.
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(10))
        await assertAsking(store, throws: .timedOut, within: 0.9...20)
    }

    func testSlowServiceTimesOutAtTheDeadlineOfTheWholeCall() async throws {
        let fake = try XCTUnwrap(bus.value?.startFake("slow=0.4"))
        // Each answer arrives in time; all of them together do not.
        await assertAsking(
            try store(timeout: .seconds(1)),
            throws: .timedOut,
            within: 0.9...20
        )
        PrivateBus.kill(fake)
        fake.waitForExit()
        try bus.value?.startFake("slow=0.05")
        await assertAsking(try store(), throws: nil)
    }

    func testServiceCrashIsReportedAndTheNextServiceIsUsed() async throws {
        try bus.value?.startFake("dies=SearchItems")
        await assertAsking(try store(), throws: .failed)
        await assertAsking(try store(), throws: .noService)
        try bus.value?.startKeyring()
        await assertAsking(try store(), throws: nil)
    }

    func testMissingDefaultCollectionHasItsOwnError() async throws {
        for behaviour in ["noalias", "gone"] {
            let fake = try XCTUnwrap(bus.value?.startFake(behaviour))
            await assertAsking(try store(), throws: .noDefaultCollection)
            let isUsable = try await store().isUsable
            XCTAssertFalse(isUsable)
            PrivateBus.kill(fake)
            fake.waitForExit()
        }
    }

    func testDeniedCallHasItsOwnError() async throws {
        try bus.value?.startFake("denied=SearchItems")
        await assertAsking(try store(), throws: .denied)
    }

    func testAnswersOfUnexpectedTypesAreErrorsOrEmpty() async throws {
        for (behaviour, expected) in [
            ("items=number", nil), ("items=texts", KeychainError.failed), ("items=foreign", .failed),
            ("items=many", .overLimit),
        ] {
            let fake = try XCTUnwrap(bus.value?.startFake(behaviour))
            let error: KeychainError?
            do {
                let items = try await store().items(service: nil)
                XCTAssertEqual(items, [])
                error = nil
            } catch let thrown as KeychainError {
                error = thrown
            }
            XCTAssertEqual(error, expected, behaviour)
            PrivateBus.kill(fake)
            fake.waitForExit()
        }
        let fake = try XCTUnwrap(bus.value?.startFake("locked", "prompt=accept", "result=text"))
        await assertAsking(try store(mode: .desktop), throws: .locked)
        PrivateBus.kill(fake)
        fake.waitForExit()
        let methods = ["GetAll", "SearchItems", "ReadAlias", "OpenSession"].map { "odd=\($0)" }
        for behaviour in methods + ["key=text", "key=number", "key=texts"] {
            let fake = try XCTUnwrap(bus.value?.startFake(behaviour))
            await assertAsking(try store(), throws: .failed)
            PrivateBus.kill(fake)
            fake.waitForExit()
        }
    }

    func testItemThatChangesBetweenListingAndReadingIsNotMixedUp() async throws {
        try bus.value?.startFake("items=changing")
        let store = try store()
        // Each read of the item finds another account.
        let listed = try await store.items(service: nil)
        XCTAssertEqual(listed.map(\.account), ["read 1"])
        // By the second of these, it is found, and gone when its secret is read.
        for account in ["read 1", "read 3"] {
            let read = try await store.credential(for: CredentialKey(service: "s", account: account))
            XCTAssertNil(read)
        }
    }

    func testForgottenServiceSessionIsRenewed() async throws {
        try bus.value?.startFake("forgets")
        let item = CredentialItem(key: Self.key)
        try await store().set(Credential(item: item, secret: SecretBytes("secret")))
        XCTAssertEqual(bus.value?.callsOfFake().filter { $0 == "OpenSession" }.count, 2)
    }

    func testSessionWithAnotherKeyIsReplacedBeforeAChange() async throws {
        try bus.value?.startFake("damages")
        let item = CredentialItem(key: Self.key)
        try await store().set(Credential(item: item, secret: SecretBytes("secret")))
        let verified = ["CreateItem", "GetSecret", "Delete"]
        let changes = ["OpenSession", "SearchItems", "SetSecret"] + verified
        let calls = bus.value?.callsOfFake().filter { changes.contains($0) }
        // The first search is for items that other checks have left.
        let stored = ["SearchItems", "SearchItems", "CreateItem", "SearchItems"]
        XCTAssertEqual(calls, ["OpenSession"] + verified + ["OpenSession"] + verified + stored)
    }

    func testItemOfACheckIsDeletedIfItsProcessHasEnded() async throws {
        let ended = Process()
        ended.executableURL = URL(filePath: "/bin/true")
        try ended.start()
        ended.waitForExit()
        try await assertDeletions(ofItemOf: ended.processIdentifier, 2)
    }

    func testItemOfACheckThatRunsIsKept() async throws {
        try await assertDeletions(ofItemOf: getpid(), 1)
    }

    /// Stores a secret while there is an item of a check of another process. The item of the own check is deleted.
    private func assertDeletions(ofItemOf process: pid_t, _ count: Int) async throws {
        try bus.value?.startFake("left=\(process)")
        try await store().set(Credential(item: CredentialItem(key: Self.key), secret: SecretBytes("secret")))
        XCTAssertEqual(bus.value?.callsOfFake().filter { $0 == "Delete" }.count, count)
    }

    func testUnencryptedSessionIsRefused() async throws {
        try bus.value?.startFake("plain")
        let answer = await Self.ask(try store())
        XCTAssertEqual(answer.error, .failed)
        XCTAssertTrue(answer.error?.description.contains("no encrypted session") ?? false)
    }

    func testLockedKeyringThrowsIfPromptsAreDisabled() async throws {
        try bus.value?.startFake("locked")
        await assertAsking(try store(), throws: .locked)
        XCTAssertEqual(bus.value?.callsOfFake().contains("Prompt"), false)
        let isUsable = try await store().isUsable
        XCTAssertFalse(isUsable)
        let isUsableWithPrompts = try await store(mode: .desktop).isUsable
        XCTAssertTrue(isUsableWithPrompts)
    }

    func testAcceptedPromptUnlocksByABroadcastSignal() async throws {
        try bus.value?.startFake("locked", "prompt=accept")
        await assertAsking(try store(mode: .desktop), throws: nil)
    }

    func testPromptThatEndsBeforeItsCallReturnsIsNotMissed() async throws {
        try bus.value?.startFake("locked", "prompt=early")
        await assertAsking(try store(mode: .desktop), throws: nil)
    }

    func testDismissedPromptHasItsOwnError() async throws {
        try bus.value?.startFake("locked", "prompt=dismiss")
        await assertAsking(try store(mode: .desktop), throws: .dismissed)
    }

    func testUnansweredPromptTimesOutAndIsDismissed() async throws {
        try bus.value?.startFake("locked", "prompt=never")
        await assertAsking(
            try store(mode: .desktop, promptTimeout: .seconds(2)),
            throws: .timedOut,
            within: 1.9...20
        )
        try bus.value?.wait { self.bus.value?.callsOfFake().contains("Dismiss") ?? false }
    }

    func testOtherCallsAreAnsweredDuringAPrompt() async throws {
        try bus.value?.startFake("locked", "prompt=never")
        let store = try store(mode: .desktop)
        let isOver = Lock(false)
        let asked = Task {
            let answer = await SecretServiceDeadlineTests.ask(store)
            isOver.withLock { $0 = true }
            return answer
        }
        try bus.value?.wait { self.bus.value?.callsOfFake().contains("Prompt") ?? false }
        let status = try await store.status()
        XCTAssertEqual(status.collection?.isLocked, true)
        XCTAssertFalse(isOver.withLock { $0 }, "the prompt ended without being waited for")
        asked.cancel()
        let error = await asked.value.error
        XCTAssertEqual(error, .cancelled)
    }

    func testCancellationDismissesThePrompt() async throws {
        try bus.value?.startFake("locked", "prompt=never")
        let store = try store(mode: .desktop)
        let task = Task { await SecretServiceDeadlineTests.ask(store) }
        try bus.value?.wait { self.bus.value?.callsOfFake().contains("Prompt") ?? false }
        task.cancel()
        let answer = await task.value
        XCTAssertEqual(answer.error, .cancelled)
        XCTAssertLessThan(answer.seconds, 20)
        try bus.value?.wait { self.bus.value?.callsOfFake().contains("Dismiss") ?? false }
    }

    func testServiceCrashDuringAPromptEndsTheCall() async throws {
        try bus.value?.startFake("locked", "prompt=die")
        await assertAsking(try store(mode: .desktop), throws: .failed)
    }

    func testClosedBusDoesNotEndTheProcess() async throws {
        try bus.value?.startKeyring()
        let store = try store()
        await assertAsking(store, throws: nil)
        bus.value?.end()
        await assertAsking(store, throws: .noBus)
    }
}
#endif
