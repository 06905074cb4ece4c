// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// A service with three mechanisms, for a few users.
class MechanismTestCase: XCTestCase {
    nonisolated static let keyPhrase = "itheima"
    /// 2016-08-17 10:00:20 UTC.
    let now = UnixTime(1_471_428_020)
    let clock = ManualClock()
    private(set) var passwords: PasswordService!
    private(set) var users: InMemoryAccounts!

    override func setUp() async throws {
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(1024), passes: 1)),
            legacyKeys: [
                StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: Self.keyPhrase)
            ]
        )
        passwords = try PasswordService(context: context)
        let scheme = Legacy.TimestampedLogin(keyPhrase: Self.keyPhrase)
        users = InMemoryAccounts([
            // With a PIN, and a password for timestamped logins and forms.
            LoginAccount(
                name: "zhang",
                credential: StoredCredential(passwordEquivalent: scheme.passwordEquivalent(for: "s3cret")),
                mechanismCredentials: [PINMechanism.name: MechanismCredential(try context.hash("2580"))]
            ),
            // With a PIN only.
            LoginAccount(
                name: "li",
                credential: .unusable,
                mechanismCredentials: [PINMechanism.name: MechanismCredential(try context.hash("1379"))]
            ),
            // With an old hash only, of `secret`.
            LoginAccount(name: "wang", credential: try StoredCredential("$1$abc$iCQ2D3nhptRYi27fDYv2s1")),
        ])
    }

    func service(
        adding more: [any ServerLoginMechanism] = [],
        accounts: (any LoginAccounts)? = nil,
        storage: LoginStorage? = nil,
        attempts: Int = 100,
        rejectionInterval: Duration = .zero,
        secondStep: (any LoginSecondStep)? = nil
    ) throws -> LoginService {
        var configuration = LoginConfiguration()
        configuration.accountLimit = try RateLimit(attempts: attempts, per: .seconds(600))
        configuration.clientLimit = try RateLimit(attempts: 1000, per: .seconds(600))
        configuration.rejectionInterval = rejectionInterval
        return try LoginService(
            accounts: accounts ?? users,
            mechanisms: [.timestamped(keyPhrase: Self.keyPhrase), .password(passwords), .pin(passwords)]
                + more,
            storage: storage ?? .memory(isFirstStart: true, clock: clock),
            configuration: configuration,
            secondStep: secondStep,
            startedAt: now,
            clock: clock
        )
    }

    func attempt(
        _ response: String,
        of user: String = "zhang",
        _ challenge: String? = nil,
        code: String? = nil
    )
        -> LoginAttempt
    {
        LoginAttempt(
            username: user,
            response: response,
            clientAddress: "home",
            challenge: challenge,
            code: code
        )
    }

    /// Logs in with a password.
    func logIn(
        _ service: LoginService,
        _ password: String,
        of user: String = "zhang",
        code: String? = nil,
        at time: UnixTime? = nil
    ) async throws -> LoginDecision {
        try await service.logIn(
            with: PasswordMechanism.name,
            attempt(password, of: user, code: code),
            at: time ?? now
        )
    }

    /// Logs in with a new number and a PIN.
    func logIn(
        _ service: LoginService,
        pin: String,
        of user: String = "zhang",
        code: String? = nil
    ) async throws -> LoginDecision {
        let number = try await service.challenge(of: PINMechanism.name, for: "home", at: now)
        return try await service.logIn(
            with: PINMechanism.name,
            attempt(pin, of: user, number, code: code),
            at: now
        )
    }

    func proof(_ challenge: String?, _ password: String = "s3cret") -> String {
        Legacy.TimestampedLogin(keyPhrase: Self.keyPhrase)
            .proof(for: password, challenge: challenge ?? "").hex
    }

    /// Returns how many of 64 simultaneous logins of zhang were accepted.
    func accepted(
        _ service: LoginService,
        with mechanism: String,
        _ attempt: LoginAttempt
    ) async throws -> Int {
        let now = now
        return try await withThrowingTaskGroup(of: LoginDecision.self) { group in
            for _ in 0..<64 {
                group.addTask { try await service.logIn(with: mechanism, attempt, at: now) }
            }
            return try await group.reduce(into: 0) { $0 += $1 == .accepted(user: "zhang") ? 1 : 0 }
        }
    }
}
