// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// Tries to tell by the time of an answer whether a user exists, over a table of strong and weak hashes: as an attacker
/// would, with a wrong password and one request after the other.
struct UserEnumeration {
    /// A user's hash, or none.
    struct Account {
        let name: String
        let hash: String?
    }

    let accounts: [Account]
    let hasher: PasswordHasher
    let samplesPerAccount: Int

    init(samplesPerAccount: Int) throws {
        self.samplesPerAccount = samplesPerAccount
        hasher = PasswordHasher()
        func made(_ parameters: PasswordParameters) throws -> String {
            try PasswordHasher(policy: PasswordPolicy(preferred: parameters)).hash("correct horse")
        }
        accounts = [
            Account(name: "nobody", hash: nil),
            Account(name: "argon2id by the policy", hash: try hasher.hash("correct horse")),
            Account(name: "argon2id, 1 pass of 2", hash: try made(.argon2id(memoryKiB: 19456, passes: 1))),
            Account(name: "argon2id, 4 MiB of 19", hash: try made(.argon2id(memoryKiB: 4096, passes: 2))),
            Account(name: "pbkdf2-sha256, 20,000", hash: try made(.pbkdf2SHA256(iterations: 20_000))),
            Account(name: "sha512-crypt, 5,000", hash: try made(.sha512Crypt(rounds: 5000))),
            Account(name: "bcrypt, cost 5", hash: try made(.bcrypt(cost: 5))),
            Account(name: "md5-crypt", hash: "$1$abc$iCQ2D3nhptRYi27fDYv2s1"),
            Account(
                name: "salted md5",
                hash: "$hex-md5$position=suffix,salt=c2hvcA$f433c50293bc7afbe20b67ceb15a1e55"
            ),
        ]
    }

    /// Whether all accounts look like nobody's when that is to be hidden, and do not when it is not.
    func run() async throws -> Bool {
        var isAsClaimed = true
        for hides in [true, false] {
            var configuration = PasswordService.Configuration()
            configuration.hidesUnknownUsers = hides
            let service = try PasswordService(hasher: hasher, configuration: configuration)
            let times = try await measure(service)
            print(
                "Verification of a wrong password, \(samplesPerAccount) times each; topping up is \(hides ? "on" : "off")"
            )
            print("  median ms   KS distance to nobody's        p   account")
            // One account in a hundred runs may look different by chance, over all that are compared.
            let threshold = 0.01 / Double(accounts.count - 1)
            var told = 0
            for (account, seconds) in zip(accounts, times) {
                let test = TwoSampleTest(seconds, times[0])
                let median = Spread(seconds).median * 1000
                let isTold = test.pValue < threshold
                told += isTold ? 1 : 0
                print(
                    String(format: "  %9.2f   %20.3f %12.2g   ", median, test.distance, test.pValue)
                        + account.name
                        + (isTold ? "  TOLD APART" : "")
                )
            }
            print("")
            isAsClaimed = isAsClaimed && (hides ? told == 0 : told == accounts.count - 1)
        }
        return isAsClaimed
    }

    private func measure(_ service: PasswordService) async throws -> [[Double]] {
        var times = accounts.map { _ in [Double]() }
        // The service learns what hashes take.
        for _ in 0..<40 {
            for account in accounts { _ = try await service.verify("wrong", against: account.hash) }
        }
        // In random order, so that a machine whose speed drifts treats all alike.
        for _ in 0..<samplesPerAccount {
            for index in accounts.indices.shuffled() {
                let start = ContinuousClock.now
                _ = try await service.verify("wrong", against: accounts[index].hash)
                times[index].append(start.duration(to: .now) / .seconds(1))
            }
        }
        return times
    }
}

/// The test of Kolmogorov and Smirnov: whether two samples are of one distribution.
struct TwoSampleTest {
    /// The largest difference of the two cumulative distributions, from 0 to 1.
    let distance: Double
    /// How often samples of one distribution are at least that different.
    let pValue: Double

    init(_ left: [Double], _ right: [Double]) {
        let all = (left.map { ($0, true) } + right.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var (seenLeft, seenRight) = (0.0, 0.0)
        var distance = 0.0
        for (index, (value, isLeft)) in all.enumerated() {
            if isLeft { seenLeft += 1 } else { seenRight += 1 }
            // Of equal values, only behind the last.
            if index + 1 < all.count && all[index + 1].0 == value { continue }
            distance = max(distance, abs(seenLeft / Double(left.count) - seenRight / Double(right.count)))
        }
        self.distance = distance
        let size = Double(left.count * right.count) / Double(left.count + right.count)
        let scaled = (size.squareRoot() + 0.12 + 0.11 / size.squareRoot()) * distance
        let sum = (1...100).reduce(0.0) { sum, term in
            let power = Double(term * term)
            return sum + (term.isMultiple(of: 2) ? -2 : 2) * exp(-2 * power * scaled * scaled)
        }
        pValue = scaled < 0.2 ? 1 : min(1, max(0, sum))
    }
}
