// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// Timestamped logins by a service with several mechanisms.
final class TimestampedMechanismTests: MechanismTestCase {
    private func bareMinutes(
        isFirstStart: Bool = true,
        utcOffset: @escaping @Sendable (UnixTime) -> Duration
    ) throws -> LoginService {
        try LoginService(
            accounts: users,
            mechanisms: [
                .timestamped(keyPhrase: Self.keyPhrase, usesBareMinutes: true, utcOffset: utcOffset)
            ],
            storage: .memory(isFirstStart: isFirstStart, clock: clock),
            configuration: withoutDelay,
            startedAt: now,
            clock: clock
        )
    }

    private var withoutDelay: LoginConfiguration {
        var configuration = LoginConfiguration()
        configuration.rejectionInterval = .zero
        return configuration
    }

    private func logIn(
        _ service: LoginService,
        proof: some SecretInput & Sendable,
        returned: String? = nil,
        at time: UnixTime? = nil
    ) async throws -> LoginDecision {
        let attempt = LoginAttempt(
            username: "zhang",
            response: proof,
            clientAddress: "home",
            challenge: returned
        )
        return try await service.logIn(with: TimestampedMechanism.name, attempt, at: time ?? now)
    }

    func testOneTimeChallengeLogsInOnce() async throws {
        let service = try service()
        let challenge = try await service.challenge(of: TimestampedMechanism.name, for: "home", at: now)
        let response = LoginAttempt(
            username: "zhang",
            response: proof(challenge),
            clientAddress: "train",
            challenge: challenge
        )
        let accepted = try await accepted(service, with: TimestampedMechanism.name, response)
        XCTAssertEqual(accepted, 1)
        let again = try await logIn(service, proof: proof(challenge), returned: challenge)
        XCTAssertEqual(again, .rejected)
        let bytes: [[UInt8]] = [
            [], [0xFF], Array(repeating: 0xC3, count: 32), Array(repeating: 0x61, count: 1 << 16),
        ]
        for malformed in bytes {
            let decision = try await logIn(service, proof: malformed, returned: challenge)
            XCTAssertEqual(decision, .rejected)
        }
    }

    /// An issuer without a store of its own uses that of the service; one with a store keeps it.
    func testChallengesAreInTheStorageOfTheService() async throws {
        let own = try InMemoryChallengeStore(clock: clock)
        for store in [nil, own] {
            let storage = LoginStorage.memory(isFirstStart: true, clock: clock)
            let mechanism = TimestampedMechanism(
                verifier: try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: Self.keyPhrase)),
                challenges: try LoginChallengeIssuer(store: store)
            )
            let service = try LoginService(
                accounts: users,
                mechanisms: [mechanism],
                storage: storage,
                configuration: withoutDelay,
                clock: clock
            )
            let challenge = try await service.challenge(of: mechanism.name, for: "home", at: now)
            let shared = try XCTUnwrap(storage.challenges as? InMemoryChallengeStore)
            XCTAssertEqual([shared.count, own.count], store == nil ? [1, 0] : [0, 1])
            let decision = try await logIn(service, proof: proof(challenge))
            XCTAssertEqual(decision, .accepted(user: "zhang"))
            // It was forgotten after the login.
            XCTAssertEqual([shared.count, own.count], [0, 0])
        }
    }

    func testBareMinutesFollowTheOffsetAndAreValidOnce() async throws {
        let service = try bareMinutes { _ in .seconds(8 * 3600) }
        let minute = try await service.challenge(of: TimestampedMechanism.name, for: "home", at: now)
        XCTAssertEqual(minute, "2016-08-17 18:00")
        let inUTC = try await logIn(service, proof: proof("2016-08-17 10:00"))
        XCTAssertEqual(inUTC, .rejected)
        let first = try await logIn(service, proof: proof(minute))
        XCTAssertEqual(first, .accepted(user: "zhang"))
        let second = try await logIn(service, proof: proof(minute))
        XCTAssertEqual(second, .replayed(retryAfter: .seconds(40)))
    }

    func testEarlierMinutesAreUnavailableAfterAStart() async throws {
        let service = try bareMinutes(isFirstStart: false) { _ in .zero }
        let early = try await logIn(service, proof: proof("2016-08-17 10:00"))
        XCTAssertEqual(early, .unavailable(retryAfter: .seconds(160)))
        clock.advance(by: .seconds(180))
        let later = try await logIn(service, proof: proof("2016-08-17 10:03"), at: now + .seconds(180))
        XCTAssertEqual(later, .accepted(user: "zhang"))
    }

    /// A server that starts at 10:00 UTC, 11:00 in summer time, cannot know the proofs of 10:30 in winter time that an
    /// earlier one accepted half an hour before.
    func testMinutesFromBeforeTheStartAreUnavailableWhenSummerTimeEnds() async throws {
        let start = now
        let service = try bareMinutes(isFirstStart: false) {
            $0 < start + .seconds(600) ? .seconds(3600) : .zero
        }
        clock.advance(by: .seconds(1800))
        let decision = try await logIn(
            service,
            proof: proof("2016-08-17 10:30"),
            at: now + .seconds(1800)
        )
        guard case .unavailable = decision else { return XCTFail("\(decision)") }
    }
}
