// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer
import CredKitSystem
import CredKitTestSupport
import Testing

/// In which order a login with a passkey uses up its ceremony and stores the counter, and what happens when a store fails.
@Suite
struct PasskeyReplayTests {
    private let start = PasskeyServer.start

    /// An authenticator with a passkey of `alice`, whose next answer has a counter; 0 for one that does not count.
    private func authenticator(
        of server: PasskeyServer,
        count: UInt32 = 7
    ) async throws -> VirtualAuthenticator {
        var authenticator = try VirtualAuthenticator()
        authenticator.signCount = max(count, 1) - 1
        try await server.enrol(&authenticator)
        authenticator.signCount = count
        return authenticator
    }

    private func storedCount(_ server: PasskeyServer, _ authenticator: VirtualAuthenticator) async throws
        -> UInt32?
    {
        try await server.store.credential(id: authenticator.credentialID)?.record.signCount
    }

    /// A counter that comes again with its answer is no sign of a copied passkey.
    @Test func replayedAnswerSaysNothingAboutTheCounter() async throws {
        let server = try PasskeyServer()
        let authenticator = try await authenticator(of: server)
        let options = try server.loginOptions()
        let answer = try authenticator.answer(options)
        #expect(try await server.finish(options.ceremony, answer).decision == .accepted(user: "alice"))
        #expect(try await server.finish(options.ceremony, answer).decision == .rejected)
        let kinds: [PasskeyEvent.Kind] = [.enrolled, .used, .refused(reason: "replayed")]
        #expect(server.events.map(\.kind) == kinds)
    }

    @Test func replayedSecondStepSaysNothingAboutTheCounter() async throws {
        let server = try PasskeyServer()
        let authenticator = try await authenticator(of: server)
        let ticket = try #require(try await server.sendPassword().answer)
        let begun = try await server.service.beginPasskeySecondStep(
            ticket: ticket,
            browser: PasskeyServer.browser,
            at: start
        )
        let options = try #require(begun)
        let answer = try authenticator.answer(options)
        for (isFirst, expected) in [(true, .accepted(user: "alice")), (false, .rejected)]
            as [(Bool, LoginDecision)]
        {
            let another = isFirst ? ticket : try #require(try await server.sendPassword().answer)
            let result = try await server.service.finishPasskeySecondStep(
                ticket: another,
                ceremony: options.ceremony,
                response: answer,
                browser: PasskeyServer.browser,
                clientAddress: PasskeyServer.address,
                at: start
            )
            #expect(result.decision == expected)
        }
        let kinds: [PasskeyEvent.Kind] = [.enrolled, .used, .refused(reason: "replayed")]
        #expect(server.events.map(\.kind) == kinds)
    }

    /// The same answer at two servers with one storage and one key.
    @Test(arguments: [UInt32(0), 7])
    func oneOfManySimultaneousAnswersIsAccepted(_ count: UInt32) async throws {
        let (store, storage) = (InMemoryPasskeyStore(), LoginStorage.memory(isFirstStart: true))
        let servers = try (0..<2).map { _ in try PasskeyServer(store: store, storage: storage) }
        let authenticator = try await authenticator(of: servers[0], count: count)
        let options = try servers[0].loginOptions()
        let answer = try authenticator.answer(options)
        let decisions = try await withThrowingTaskGroup(of: LoginDecision.self) { group in
            for index in 0..<32 {
                group.addTask { try await servers[index % 2].finish(options.ceremony, answer).decision }
            }
            return try await group.reduce(into: [LoginDecision]()) { $0.append($1) }
        }
        #expect(decisions.count { $0 == .accepted(user: "alice") } == 1)
        #expect(decisions.count { $0 == .rejected } == 31)
        #expect(!servers.flatMap(\.events).contains { $0.kind == .counterWentBack })
        #expect(try await storedCount(servers[0], authenticator) == count)
    }

    /// An answer is not lost to a store that cannot tell whether it was used.
    @Test func nothingIsStoredBeforeTheCeremonyIsUsedUp() async throws {
        let replays = FailingReplayStore()
        let memory = LoginStorage.memory(isFirstStart: true)
        let server = try PasskeyServer(
            storage: LoginStorage(
                challenges: memory.challenges,
                replays: replays,
                rates: memory.rates,
                sessions: memory.sessions
            )
        )
        let authenticator = try await authenticator(of: server)
        let options = try server.loginOptions()
        let answer = try authenticator.answer(options)
        replays.answer.withLock { $0 = .success(.unavailable(retryAfter: .seconds(3))) }
        let result = try await server.finish(options.ceremony, answer)
        #expect(result.decision == .unavailable(retryAfter: .seconds(3)) && result.session == nil)
        #expect(try await storedCount(server, authenticator) == 6)
        replays.answer.withLock { $0 = .failure(FailingReplayStore.Failure()) }
        await #expect(throws: LoginServerError.storeFailed) {
            try await server.finish(options.ceremony, answer)
        }
        #expect(try await storedCount(server, authenticator) == 6)
        #expect(server.events.map(\.kind) == ([.enrolled] as [PasskeyEvent.Kind]))
        replays.answer.withLock { $0 = nil }
        #expect(try await server.finish(options.ceremony, answer).decision == .accepted(user: "alice"))
    }

    /// The login is an error, not a rejection; what it has used up needs a new ceremony.
    @Test func storeThatFailsAfterwardsIsAnError() async throws {
        let store = HookedPasskeyStore()
        let server = try PasskeyServer(store: store)
        let authenticator = try await authenticator(of: server)
        let options = try server.loginOptions()
        let answer = try authenticator.answer(options)
        for moment in [HookedPasskeyStore.Moment.beforeRecording, .afterRecording] {
            let options = try server.loginOptions()
            let answer = try authenticator.answer(options)
            store.on(moment) { _, _ in throw FailingReplayStore.Failure() }
            await #expect(throws: LoginServerError.storeFailed) {
                try await server.finish(options.ceremony, answer)
            }
            store.on(moment, nil)
            #expect(try await server.finish(options.ceremony, answer).decision == .rejected)
            #expect(server.events.last?.kind == .refused(reason: "replayed"))
        }
        // The counter of the second one was stored, and a counter that really stands is reported.
        #expect(try await server.finish(options.ceremony, answer).decision == .rejected)
        #expect(server.events.last?.kind == .refused(reason: "counterWentBack"))
        var next = authenticator
        next.signCount = 8
        #expect(try await server.logIn(next).decision == .accepted(user: "alice"))
    }

    /// A login that is decided while another one with the same passkey is stored.
    @Test(arguments: [UInt32(6), 7, 8])
    func fasterLoginIsTheOneToCompareWith(_ count: UInt32) async throws {
        let store = HookedPasskeyStore()
        let server = try PasskeyServer(store: store)
        let authenticator = try await authenticator(of: server)
        store.on(.beforeRecording) { [start] base, id in
            store.on(.beforeRecording, nil)
            let old = try #require(base.credential(id: id)).record
            var new = old
            new.signCount = count
            new.isUserVerificationInitialized = false
            #expect(base.recordUse(new, replacing: old, at: start + .seconds(5)))
        }
        let result = try await server.logIn(authenticator)
        let stored = try #require(store.credential(id: authenticator.credentialID))
        #expect(stored.record.signCount == max(7, count))
        #expect(stored.lastUse == start + .seconds(5))
        guard count >= 7 else {
            #expect(result.decision == .accepted(user: "alice"))
            #expect(stored.record.isUserVerificationInitialized)
            return
        }
        #expect(result.decision == .rejected && result.session == nil)
        #expect(server.events.last?.kind == .refused(reason: "counterWentBack"))
        #expect(!stored.record.isUserVerificationInitialized)
    }

    /// Another passkey with the same identifier, while a login is decided: the answer is not one of it.
    @Test func passkeyThatIsReplacedMeanwhileIsRefused() async throws {
        let store = HookedPasskeyStore()
        let server = try PasskeyServer(store: store)
        let authenticator = try await authenticator(of: server)
        store.on(.beforeRecording) { base, id in
            store.on(.beforeRecording, nil)
            let old = try #require(base.credential(id: id))
            _ = base.removeAll(ofAccountNamed: "alice")
            let record = WebAuthn.CredentialRecord(
                id: id,
                publicKey: old.record.publicKey,
                userHandle: base.userHandle(ofAccountNamed: "bob"),
                signCount: 0,
                isUserVerificationInitialized: true,
                isBackupEligible: false,
                isBackedUp: false,
                transports: [],
                aaguid: old.record.aaguid
            )
            let other = PasskeyCredential(account: "bob", record: record, name: "Phone", created: old.created)
            #expect(base.add(other, limit: 1) == .added)
        }
        #expect(try await server.logIn(authenticator).decision == .rejected)
        #expect(server.events.last?.kind == .refused(reason: "unknownPasskey"))
        #expect(try await storedCount(server, authenticator) == 0)
    }
}

/// A store in memory that fails when a test says so.
private final class FailingReplayStore: ReplayStore {
    struct Failure: Error {}

    /// What it answers in place of its content.
    let answer = Lock<Result<ReplayDecision, Failure>?>(nil)
    private let base = LoginStorage.memory(isFirstStart: true).replays

    func markUsed(
        _ key: StoreKey,
        account: StoreKey,
        lifetime: Duration,
        challengeAge: Duration
    ) async throws -> ReplayDecision {
        if let answer = answer.withLock({ $0 }) { return try answer.get() }
        return try await base.markUsed(
            key,
            account: account,
            lifetime: lifetime,
            challengeAge: challengeAge
        )
    }
}
