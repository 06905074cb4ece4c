// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// HMAC-MD5 of a short password under a prepared key: what a login server does most.
enum HMACComparison {
    private static let iterations = 200_000

    static func make() -> Comparison {
        let key = Array("43c8233266edce38c2c9af0694e2107d".utf8)
        let message = Array("correct horses".utf8)
        let prepared = Legacy.HMACMD5.Key(key)

        return Comparison(
            id: "hmac-md5-prepared-14-bytes",
            title: "HMAC-MD5 of \(message.count) bytes, \(iterations) times",
            ours: Contender(name: "Legacy.HMACMD5, prepared key") {
                clocked {
                    var sum: UInt8 = 0
                    for _ in 0..<iterations {
                        sum ^= Legacy.HMACMD5.authenticationCode(for: message, using: prepared)[0]
                    }
                    return sum
                }
            },
            alternatives: [
                .init(
                    contender: Contender(name: "OpenSSL's low-level calls in C, prepared states") {
                        clocked {
                            baseline_hmac_md5_prepared(key, key.count, message, message.count, iterations)
                        }
                    },
                    goal: .init(minimumSpeed: 1 / 1.3)
                ),
                .init(
                    contender: Contender(name: "OpenSSL's one-shot HMAC() in C") {
                        clocked {
                            baseline_hmac_md5_oneshot(key, key.count, message, message.count, iterations)
                        }
                    },
                    goal: .init(minimumSpeed: 4)
                ),
            ],
            rounds: 15
        )
    }

    private static func clocked(_ body: () -> UInt8) -> Sample {
        let clock = ContinuousClock()
        var result: UInt8 = 0
        let time = clock.measure { result = body() }
        sink = result
        return Sample(seconds: time / .seconds(1))
    }

    /// Keeps the compiler from leaving out work whose result nobody reads.
    nonisolated(unsafe) private static var sink: UInt8 = 0
}
