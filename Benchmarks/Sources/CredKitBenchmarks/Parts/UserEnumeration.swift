// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// Tries to find out from response times whether a user exists, with a table of strong and weak hashes, and with one whose hashes
/// are up to forty times as dear as those of the policy. Acts like an attacker, with a wrong password and sequential requests.
struct UserEnumeration {
    /// A user's hash, or nil for an unknown user.
    struct Account {
        let name: String
        let hash: String?
    }

    /// With 300 samples on each side, the test separates distributions that differ by a sixth anywhere. Where a
    /// difference is expected, most distributions do not even overlap.
    private static let samples = 300, samplesOfDifferent = 80

    /// A hundredth of the costs of tables with bcrypt and PBKDF2 beside Argon2id, so that 10,000 tries take minutes.
    private static let samplesOfDear = 2000

    private let accounts: [Account]
    private let context: PasswordContext
    private let dearAccounts: [Account]
    private let cheapContext: PasswordContext

    init() throws {
        context = PasswordContext()
        func made(_ parameters: PasswordParameters) throws -> String {
            try PasswordContext(policy: PasswordPolicy(preferred: parameters)).hash("correct horse")
        }
        accounts = [
            Account(name: "unknown user", hash: nil),
            Account(name: "argon2id by the policy", hash: try context.hash("correct horse")),
            Account(
                name: "argon2id, 1 pass of 2",
                hash: try made(.argon2id(memory: .mebibytes(19), passes: 1))
            ),
            Account(
                name: "argon2id, 4 MiB of 19",
                hash: try made(.argon2id(memory: .mebibytes(4), passes: 2))
            ),
            Account(name: "pbkdf2-sha256, 20,000", hash: try made(.pbkdf2SHA256(iterations: 20_000))),
            Account(name: "sha512-crypt, 5,000", hash: try made(.sha512Crypt(rounds: 5000))),
            Account(name: "bcrypt, cost 5", hash: try made(.bcrypt(cost: 5))),
            Account(name: "md5-crypt", hash: "$1$abc$iCQ2D3nhptRYi27fDYv2s1"),
            Account(
                name: "salted md5",
                hash: "$hex-md5$position=suffix,salt=c2hvcA$f433c50293bc7afbe20b67ceb15a1e55"
            ),
        ]
        cheapContext = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(256), passes: 1))
        )
        dearAccounts = [
            Account(name: "unknown user", hash: nil),
            Account(name: "argon2id by the policy", hash: try cheapContext.hash("correct horse")),
            Account(name: "bcrypt, cost 5", hash: try made(.bcrypt(cost: 5))),
            Account(name: "sha512-crypt, 2,000", hash: try made(.sha512Crypt(rounds: 2000))),
            Account(name: "pbkdf2-sha256, 20,000", hash: try made(.pbkdf2SHA256(iterations: 20_000))),
        ]
    }

    func measure() async throws -> [Outcome] {
        var outcomes = [try await measureDear()]
        for hides in [true, false] {
            var configuration = PasswordService.Configuration()
            configuration.hidesUnknownUsers = hides
            let service = try PasswordService(context: context, configuration: configuration)
            let samples = hides ? Self.samples : Self.samplesOfDifferent
            let times = try await measure(service, accounts, samples: samples)
            outcomes.append(
                outcome(
                    times,
                    of: accounts,
                    id: hides ? "timing-on" : "timing-off",
                    ratio: hides ? "timing-told-apart" : "timing-told-apart-without",
                    title: "topping up is \(hides ? "on" : "off")",
                    isHidden: hides
                )
            )
        }
        return outcomes
    }

    private func measureDear() async throws -> Outcome {
        let service = try PasswordService(context: cheapContext)
        try await service.prepare(for: dearAccounts.compactMap(\.hash))
        let times = try await measure(service, dearAccounts, samples: Self.samplesOfDear)
        return outcome(
            times,
            of: dearAccounts,
            id: "timing-dear",
            ratio: "timing-told-apart-dear",
            title: "hashes dearer than the policy",
            isHidden: true
        )
    }

    /// Compares every account with the unknown user: all must look alike when hiding is on, and none when it is off.
    private func outcome(
        _ times: [[Double]],
        of accounts: [Account],
        id: String,
        ratio: String,
        title: String,
        isHidden: Bool
    ) -> Outcome {
        // In one of a hundred runs, an account may look different by chance, over all comparisons.
        let threshold = 0.01 / Double(accounts.count - 1)
        let tests = times.map { TwoSampleTest($0, times[0]) }
        let told = tests.count { $0.pValue < threshold }
        return Outcome(
            id: id,
            title: "Verification of a wrong password, \(times[0].count) times each; \(title)",
            rows: zip(accounts, zip(times, tests)).map { account, measured in
                let test = measured.1
                let figures = String(
                    format: ": KS distance to the unknown user %.3f, p %.2g",
                    test.distance,
                    test.pValue
                )
                let verdict = test.pValue < threshold ? ", TOLD APART" : ""
                return Outcome.Row(name: account.name + figures + verdict, seconds: measured.0)
            },
            ratios: [
                .value(
                    ratio,
                    Double(told),
                    .accounts,
                    "accounts told apart from unknown ones, \(title)",
                    against: "\(accounts.count - 1) accounts",
                    goal: isHidden ? .atMost(0) : .atLeast(Double(accounts.count - 1))
                )
            ]
        )
    }

    private func measure(
        _ service: PasswordService,
        _ accounts: [Account],
        samples: Int
    ) async throws -> [[Double]] {
        var times = accounts.map { _ in [Double]() }
        // The service first learns the times of the hashes.
        for _ in 0..<40 {
            for account in accounts {
                _ = try await service.verify("wrong", against: account.hash, account: nil, clientAddress: nil)
            }
        }
        // In random order, so that a drift of the machine's speed affects all accounts equally.
        for _ in 0..<samples {
            for index in accounts.indices.shuffled() {
                let start = ContinuousClock.now
                _ = try await service.verify(
                    "wrong",
                    against: accounts[index].hash,
                    account: nil,
                    clientAddress: nil
                )
                times[index].append(start.duration(to: .now) / .seconds(1))
            }
        }
        return times
    }
}
