// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

/// Guesses of one-time codes of one account, at several servers.
struct GuessedCodes {
    private let key: OneTimeCodeKey
    /// The guesses that were judged.
    private(set) var judged = 0

    init() throws { key = try OneTimeCodeKey(base32: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") }

    /// The number that one server judges.
    static let limit = 10

    /// Guesses the same number of times at each server, and counts what is judged.
    mutating func guess(_ times: Int, at servers: [any RateStore]) async throws {
        for store in servers {
            // What one server would remember of others must not matter: a new process each time.
            let verifier = try OneTimeCodeVerifier(
                replayStore: InMemoryReplayStore(isFirstStart: true),
                rateStore: store
            )
            for _ in 0..<times {
                switch try await verifier.verify("000000", account: "alice", key: key) {
                case .limited: break
                default: judged += 1
                }
            }
        }
    }
}
