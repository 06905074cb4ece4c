// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// How many proofs of a timestamped login a server checks a second on one core, with a window of ±2 minutes, and what
/// that is beside the HMAC-MD5s that no server can do without: one for each minute of the window.
enum VerifierLoad {
    private static let iterations = 50_000
    private static let rounds = 15
    private static let candidates = 5

    static func run() throws {
        let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let verifier = try LoginVerifier(scheme)
        let equivalent = scheme.passwordEquivalent(for: "zhang")
        let account = LoginAccount(name: "zhang", record: LoginRecord(passwordEquivalent: equivalent))
        let now: Int64 = 1_471_428_030
        let minute = try LoginMinute(unixTime: now)
        let proof = scheme.proof(passwordEquivalent: equivalent, at: minute).hex

        let key = Legacy.HMACMD5.Key(Legacy.MD5.hash(data: "itheima".utf8).hex)
        let message = Array((equivalent.hex + minute.description).utf8)

        var rights = 0
        var sum: UInt8 = 0
        let contenders: [(String, () -> Void)] = [
            ("LoginVerifier, a right proof", { rights += verifier.accepts(proof, account, now) ? 1 : 0 }),
            (
                "LoginVerifier, a wrong proof",
                { rights += verifier.accepts(minute.description, account, now) ? 1 : 0 }
            ),
            ("LoginVerifier, no such user", { rights += verifier.accepts(proof, nil, now) ? 1 : 0 }),
            (
                "\(candidates) HMAC-MD5s alone, prepared key",
                {
                    for _ in 0..<candidates {
                        sum ^= Legacy.HMACMD5.authenticationCode(for: message, using: key)[0]
                    }
                }
            ),
        ]
        var seconds = contenders.map { _ in [Double]() }
        for round in 0...rounds {
            for (index, contender) in contenders.enumerated() {
                let clock = ContinuousClock()
                let time = clock.measure { for _ in 0..<iterations { contender.1() } }
                // The first round only warms up.
                if round > 0 { seconds[index].append(time / .seconds(1)) }
            }
        }
        guard rights == iterations * (rounds + 1) else {
            throw CommandRun.Failure(description: "the verifier did not answer as it should")
        }
        print("Proofs with a window of ±2 minutes on one core, \(iterations) a round")
        for (index, contender) in contenders.enumerated() {
            let rate = Spread(seconds[index].map { Double(iterations) / $0 })
            let ratio = Spread(zip(seconds[index], seconds[contenders.count - 1]).map { $0 / $1 })
            print(
                String(
                    format: "  %9.0f a second (%.0f to %.0f), %.2f x the time of the HMACs alone  ",
                    rate.median,
                    rate.minimum,
                    rate.maximum,
                    ratio.median
                ) + contender.0
            )
        }
        sink = sum
    }

    /// Keeps the compiler from leaving out work whose result nobody reads.
    nonisolated(unsafe) private static var sink: UInt8 = 0
}

extension LoginVerifier {
    fileprivate func accepts(_ proof: String, _ account: LoginAccount?, _ now: Int64) -> Bool {
        if case .accepted = verify(proof: proof, account: account, at: now) { true } else { false }
    }
}
