// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitServer

/// A service with all mechanisms, and a user in each state. Every password is `s3cret`.
class SCRAMTestCase: XCTestCase {
    static let keyPhrase = "itheima"
    static let now = UnixTime(1_471_428_020)
    var now: UnixTime { Self.now }
    static let scheme = Legacy.TimestampedLogin(keyPhrase: keyPhrase)
    static let password = "s3cret"
    static let equivalent = scheme.passwordEquivalent(for: password)
    static let kinds: [SCRAM.MockVerifiers.Kind] = [
        .init(iterations: 4096, subject: .passwordEquivalent, count: 3), .init(iterations: 4097, count: 1),
    ]
    static let mockKey = [UInt8](repeating: 7, count: 32)

    let clock = ManualClock()
    private(set) var users = InMemoryAccounts([])

    static func layered(_ hashFunction: SCRAM.HashFunction = .sha256) throws -> SCRAM.Verifier {
        try SCRAM.Verifier(
            passwordEquivalent: equivalent,
            hashFunction: hashFunction,
            iterations: .fewer(4096)
        )
    }

    override func setUp() async throws {
        let verifier = try SCRAM.Verifier(password: Self.password, iterations: .fewer(4096))
        let hash = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1))
        )
        .hash(Self.password)
        let two = StoredCredential(SCRAM.Record(try Self.layered(), of: .passwordEquivalent))
        users = InMemoryAccounts([
            LoginAccount(name: "twin", credential: two),
            LoginAccount(name: "zero", credential: StoredCredential(passwordEquivalent: Self.equivalent)),
            LoginAccount(
                name: "one",
                credential: StoredCredential(
                    passwordEquivalent: Self.equivalent,
                    verifier: try Self.layered()
                )
            ),
            LoginAccount(
                name: "two",
                credential: two
            ),
            LoginAccount(name: "three", credential: StoredCredential(SCRAM.Record(verifier, of: .password))),
            LoginAccount(name: "hash", credential: try StoredCredential(hash)),
            LoginAccount(
                name: "sha512",
                credential: StoredCredential(SCRAM.Record(try Self.layered(.sha512), of: .passwordEquivalent))
            ),
            LoginAccount(name: "none", credential: .unusable),
        ])
    }

    func mechanism(
        key: SecretBytes? = nil,
        kinds: [SCRAM.MockVerifiers.Kind] = SCRAMTestCase.kinds,
        _ change: (inout SCRAMConfiguration) -> Void = { _ in }
    ) throws -> SCRAMMechanism {
        var configuration = SCRAMConfiguration()
        // Cheap replacements.
        configuration.replacementIterations = 4096...600_000
        configuration.replacementSaltByteCounts = 16...64
        change(&configuration)
        return try SCRAMMechanism(
            mockKey: try SecretBytes(Self.mockKey),
            mockKinds: kinds,
            key: key,
            configuration: configuration
        )
    }

    func service(
        _ scram: SCRAMMechanism? = nil,
        accounts: (any LoginAccounts)? = nil,
        storage: LoginStorage? = nil,
        attempts: Int = 1000,
        rejectionInterval: Duration = .zero,
        secondStep: (any LoginSecondStep)? = nil,
        use: MechanismUse? = nil
    ) throws -> LoginService {
        var limits = LoginConfiguration()
        limits.accountLimit = try RateLimit(attempts: attempts, per: .seconds(600))
        limits.clientLimit = try RateLimit(attempts: 100_000, per: .seconds(600))
        limits.rejectionInterval = rejectionInterval
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1)),
            legacyKeys: [
                StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: Self.keyPhrase)
            ]
        )
        return try LoginService(
            accounts: accounts ?? users,
            mechanisms: [
                try scram ?? mechanism(), .timestamped(keyPhrase: Self.keyPhrase),
                .password(try PasswordService(context: context)),
            ],
            storage: storage ?? .memory(isFirstStart: true, clock: clock),
            configuration: limits,
            secondStep: secondStep,
            mechanismUse: use,
            startedAt: now,
            clock: clock
        )
    }

    /// The second request of a client.
    struct Second: Sendable {
        let sid: String
        let challenge: SCRAM.Challenge
        let final: SCRAM.ClientFinal
    }

    /// Makes the first request, and computes the second.
    static func begin(
        _ service: LoginService,
        _ user: String,
        password: String? = nil,
        binding: SCRAM.BindingRequest = .unsupported,
        value: SCRAM.ChannelBinding? = nil,
        at time: UnixTime = now
    ) async throws -> Second {
        var scram = SCRAM.Mechanism.sha256
        if case .bound = binding { scram = .sha256Plus }
        let client = try SCRAM.Client(username: user, mechanism: scram, binding: binding)
        guard
            case .challenge(let sid, let message) = try await service.beginSCRAM(
                client.firstMessage,
                as: scram,
                at: time
            )
        else { throw SCRAM.Error.rejected }
        let challenge = try client.challenge(from: message)
        let equivalent = equivalent.hex
        let keys = try SCRAM.ClientKeys(
            password: password ?? (user == "three" ? self.password : equivalent),
            for: challenge
        )
        let final = try client.finalMessage(for: challenge, keys: keys, binding: value)
        return Second(sid: sid, challenge: challenge, final: final)
    }

    static func finish(
        _ service: LoginService,
        _ second: Second,
        code: String? = nil,
        at time: UnixTime = now
    ) async throws -> LoginResult {
        try await service.finishSCRAM(
            sid: second.sid,
            clientFinal: second.final.message,
            clientAddress: "home",
            code: code,
            at: time
        )
    }

    /// Logs in, and checks the server's answer.
    @discardableResult
    func logIn(_ service: LoginService, _ user: String, password: String? = nil) async throws -> LoginDecision
    {
        let second = try await Self.begin(service, user, password: password)
        let outcome = try await Self.finish(service, second)
        if case .accepted = outcome.decision {
            try second.final.check(try XCTUnwrap(outcome.answer))
        } else {
            XCTAssertEqual(outcome.answer, "e=invalid-proof")
            XCTAssertNil(outcome.verifierTicket)
        }
        return outcome.decision
    }

    /// Logs in as an old client does.
    func logInWithTime(_ service: LoginService, _ user: String) async throws -> LoginDecision {
        let challenge = try await service.challenge(of: TimestampedMechanism.name, for: "home", at: now)
        let proof = Self.scheme.proof(for: Self.password, challenge: challenge ?? "").hex
        return try await service.logIn(
            with: TimestampedMechanism.name,
            LoginAttempt(username: user, response: proof, clientAddress: "home", challenge: challenge),
            at: now
        )
    }
}
