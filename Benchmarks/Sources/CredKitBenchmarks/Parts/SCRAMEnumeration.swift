// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// Tries to find out from response times of SCRAM whether a user exists, and whether the credential has a verifier. Acts like
/// an attacker without the password, with sequential requests, on the same machine. Answers are delayed to shorter intervals than
/// by default, so that this takes minutes.
struct SCRAMEnumeration {
    /// A table that takes the same time for every name, as its protocol asks for.
    private struct Table: LoginAccounts {
        let accounts: [LoginAccount?]
        let names: [String]

        func account(named name: String) -> LoginAccount? {
            accounts[names.firstIndex(of: name) ?? 0]
        }

        func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) {}
    }

    private static let tries = 100_000

    private let table: Table
    /// Services that share all but their delays: first messages, which have a tenth of it, must have more than a timer is late.
    private let first, last: LoginService

    init() throws {
        let equivalent = Legacy.TimestampedLogin(keyPhrase: "itheima").passwordEquivalent(for: "zhang")
        let verifier = try SCRAM.Verifier(passwordEquivalent: equivalent, iterations: .fewer(4096))
        let hash = try PasswordContext().hash("correct horse")
        // Names of one length: the time that a name takes is not that of its user.
        let credentials: [(name: String, credential: StoredCredential?)] = [
            ("absent", nil), ("layers", StoredCredential(SCRAM.Record(verifier, of: .passwordEquivalent))),
            ("hashes", try StoredCredential(hash)),
        ]
        let table = Table(
            accounts: credentials.map { name, credential in
                credential.map { LoginAccount(name: name, credential: $0) }
            },
            names: credentials.map(\.name)
        )
        var configuration = LoginConfiguration()
        let unlimited = try RateLimit(attempts: 1_000_000, per: .seconds(1))
        (configuration.accountLimit, configuration.clientLimit) = (unlimited, unlimited)
        let scram = try SCRAMMechanism(
            mockKey: SecretBytes(randomByteCount: 32),
            mockKinds: [.init(iterations: 4096, subject: .passwordEquivalent)]
        )
        func service(_ interval: Duration) throws -> LoginService {
            configuration.rejectionInterval = interval
            return try LoginService(
                accounts: table,
                mechanisms: [scram],
                storage: .memory(isFirstStart: true),
                configuration: configuration
            )
        }
        self.table = table
        first = try service(.milliseconds(5))
        last = try service(.milliseconds(1))
    }

    func measure() async throws -> [Outcome] {
        var begins = table.names.map { _ in [Double]() }
        var finishes = begins
        for index in -1000..<Self.tries {
            // In random order, so that a drift of the machine's speed affects all alike.
            for user in table.names.indices.shuffled() {
                let clientFirst = "n,,n=\(table.names[user]),r=rOprNGfwEbeRWgbNEkqO"
                let start = ContinuousClock.now
                let answer = try await first.beginSCRAM(clientFirst, as: .sha256)
                let middle = ContinuousClock.now
                guard case .challenge(let sid, let message) = answer else {
                    throw Failure(description: "there is no challenge")
                }
                let nonce = message.dropFirst(2).prefix { $0 != "," }
                let clientFinal = "c=biws,r=\(nonce),p=\(String(repeating: "A", count: 43))="
                let second = ContinuousClock.now
                _ = try await last.finishSCRAM(sid: sid, clientFinal: clientFinal, clientAddress: "a")
                let end = ContinuousClock.now
                guard index >= 0 else { continue }
                begins[user].append(start.duration(to: middle) / .seconds(1))
                finishes[user].append(second.duration(to: end) / .seconds(1))
            }
        }
        return [outcome("begin", "first", begins), outcome("finish", "last", finishes)]
    }

    private func outcome(_ id: String, _ which: String, _ times: [[Double]]) -> Outcome {
        let names = ["unknown user", "SCRAM verifier", "argon2id, no verifier"]
        // In one of a hundred runs, an account may look different by chance, over all comparisons.
        let threshold = 0.01 / Double(names.count - 1)
        let tests = times.map { TwoSampleTest($0, times[0]) }
        return Outcome(
            id: "timing-scram-\(id)",
            title: "The \(which) message of a login by SCRAM, \(times[0].count) times each",
            rows: zip(names, zip(times, tests)).map { name, measured in
                let figures = String(
                    format: ": KS distance to the unknown user %.4f, p %.2g",
                    measured.1.distance,
                    measured.1.pValue
                )
                return Outcome.Row(name: name + figures, seconds: measured.0)
            },
            ratios: [
                .value(
                    "timing-scram-\(id)",
                    Double(tests.count { $0.pValue < threshold }),
                    .accounts,
                    "accounts told apart from unknown ones by the \(which) message of SCRAM",
                    against: "\(names.count - 1) accounts",
                    goal: .atMost(0)
                )
            ]
        )
    }
}
