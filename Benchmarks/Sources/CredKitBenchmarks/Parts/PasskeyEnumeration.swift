// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// Tries to find out from answers and response times of logins with passkeys whether a passkey exists, which kind of key it has, and
/// whether an account has a user handle. Acts like an attacker without the private keys, with sequential requests, on the same
/// machine. Answers are delayed to shorter intervals than by default, so that this takes minutes. What the browser is asked with
/// depends on no name, since it is asked for without one.
struct PasskeyEnumeration {
    /// A response with a wrong signature.
    private struct Attempt {
        let name: String
        let authenticator: SampleAuthenticator
        let userHandle: [UInt8]
        let signature: [UInt8]
    }

    /// A table that takes the same time for every name, as its protocol asks for.
    private struct Table: LoginAccounts {
        let accounts: [LoginAccount]
        let names: [String]

        func account(named name: String) -> LoginAccount? { names.firstIndex(of: name).map { accounts[$0] } }

        func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) {}
    }

    private static let tries = 100_000
    private static let browser = "browser"

    private let attempts: [Attempt]
    /// The responses of unknown passkeys with which the attempts are compared.
    private let partners: [Int]
    private let service: LoginService

    init() throws {
        let store = InMemoryPasskeyStore()
        let credential = try StoredCredential(PasswordContext().hash("correct horse"))
        let kinds: [(WebAuthn.Algorithm, String)] = [(.es256, "ES256"), (.edDSA, "EdDSA"), (.rs256, "RS256")]
        var accounts: [LoginAccount] = []
        var known: [Attempt] = []
        for (number, kind) in kinds.enumerated() {
            // As long as the name that is looked up for an unknown passkey.
            let name = "known passkey \(number)"
            let authenticator = try SampleAuthenticator(kind.0, number: UInt8(number + 1))
            let handle = store.userHandle(ofAccountNamed: name)
            let passkey = PasskeyCredential(
                account: name,
                record: authenticator.record(userHandle: handle),
                name: "Passkey",
                created: .now
            )
            guard store.add(passkey, limit: 1) == .added else {
                throw Failure(description: "a passkey is not added")
            }
            accounts.append(LoginAccount(name: name, credential: credential))
            known.append(try Self.attempt("wrong signature, \(kind.1)", authenticator, handle))
        }
        let strange = [UInt8](repeating: 9, count: known[0].userHandle.count)
        // Each is compared with a response of the same form, since an attacker knows how long the own one is.
        let unknown = try kinds.map { algorithm, name in
            try Self.attempt(
                "unknown passkey, \(name)",
                SampleAuthenticator(algorithm, number: 9),
                strange
            )
        }
        let others = try [
            Self.attempt("unknown passkey, known user handle", unknown[0].authenticator, known[0].userHandle),
            Self.attempt(
                "known passkey, user handle of another one",
                known[0].authenticator,
                known[1].userHandle
            ),
        ]
        attempts = unknown + known + others
        partners = [0, 1, 2, 0, 1, 2, 0, 0]
        var configuration = LoginConfiguration()
        configuration.rejectionInterval = .milliseconds(1)
        let unlimited = try RateLimit(attempts: 1_000_000, per: .seconds(1))
        (configuration.accountLimit, configuration.clientLimit) = (unlimited, unlimited)
        let site = try WebAuthn.RelyingParty(
            id: SampleAuthenticator.site,
            name: "Example",
            origins: [SampleAuthenticator.origin]
        )
        service = try LoginService(
            accounts: Table(accounts: accounts, names: accounts.map(\.name)),
            mechanisms: [PasskeyMechanism(site, store: store)],
            storage: .memory(isFirstStart: true),
            configuration: configuration
        )
    }

    /// The signature is right for another challenge, so it has the form of a right one.
    private static func attempt(
        _ name: String,
        _ authenticator: SampleAuthenticator,
        _ userHandle: [UInt8]
    ) throws -> Attempt {
        let signature = try authenticator.answer("other", userHandle: userHandle).signature
        return Attempt(
            name: name,
            authenticator: authenticator,
            userHandle: userHandle,
            signature: signature
        )
    }

    func measure() async throws -> [Outcome] {
        var times = attempts.map { _ in [Double]() }
        var differentAnswers = 0
        for index in -1000..<Self.tries {
            guard let options = try service.beginPasskeyLogin(browser: Self.browser),
                let challenge = Self.challenge(in: options.json)
            else { throw Failure(description: "there are no options") }
            // In random order, so that a drift of the machine's speed affects all alike.
            for kind in attempts.indices.shuffled() {
                let attempt = attempts[kind]
                let answer = try attempt.authenticator.answer(
                    challenge,
                    userHandle: attempt.userHandle,
                    signature: attempt.signature
                )
                let start = ContinuousClock.now
                let result = try await service.finishPasskeyLogin(
                    ceremony: options.ceremony,
                    response: answer.json,
                    browser: Self.browser,
                    clientAddress: "a"
                )
                let end = ContinuousClock.now
                guard index >= 0 else { continue }
                times[kind].append(start.duration(to: end) / .seconds(1))
                if result.decision != .rejected || result.answer != nil || result.session != nil {
                    differentAnswers += 1
                }
            }
        }
        return [outcome(times, differentAnswers)]
    }

    /// Returns the challenge that options contain.
    private static func challenge(in options: String) -> String? {
        options.split(separator: "\"").drop { $0 != "challenge" }.dropFirst(2).first.map(String.init)
    }

    private func outcome(_ times: [[Double]], _ differentAnswers: Int) -> Outcome {
        let against = "\(attempts.count - 3) kinds of responses"
        // In one of a hundred runs, a kind may look different by chance, over all comparisons.
        let threshold = 0.01 / Double(attempts.count - 3)
        let tests = zip(times, partners).map { TwoSampleTest($0, times[$1]) }
        return Outcome(
            id: "timing-passkeys",
            title: "A wrong response to a login with a passkey, \(times[0].count) times each",
            rows: zip(attempts, zip(times, tests)).map { attempt, measured in
                let figures = String(
                    format: ": KS distance to the unknown passkey %.4f, p %.2g",
                    measured.1.distance,
                    measured.1.pValue
                )
                return Outcome.Row(name: attempt.name + figures, seconds: measured.0)
            },
            ratios: [
                .value(
                    "timing-passkeys",
                    Double(tests.count { $0.pValue < threshold }),
                    .accounts,
                    "kinds of wrong responses told apart from an unknown passkey by their time",
                    against: against,
                    goal: .atMost(0)
                ),
                .value(
                    "timing-passkeys-answers",
                    Double(differentAnswers),
                    .accounts,
                    "answers that differ from that to an unknown passkey",
                    against: against,
                    goal: .atMost(0)
                ),
            ]
        )
    }
}
