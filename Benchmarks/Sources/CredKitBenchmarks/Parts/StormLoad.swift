// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Dispatch
import Foundation

/// 64 logins that arrive at once, verified by a service on two cores, compared with one at a time on each of two threads. A right
/// password takes as long as a wrong one, since all hashes are by the policy.
enum StormLoad {
    /// Of the same length: with SHA-crypt, the time of a round depends on it.
    private static let (right, wrong) = ("correct horse", "another horse")
    private static let logins = 64
    private static let cores = 2
    private static let rounds = 3

    /// What is stored, and how many times as fast as one by one all of it is verified.
    private struct Scheme {
        let id: String
        let parameters: PasswordParameters
        let bound: Double
    }

    /// The times of one storm, in seconds.
    private struct Storm {
        let first, last: Double
    }

    static func measure() async throws -> [Outcome] {
        let schemes = try [
            Scheme(id: "pbkdf2-sha256", parameters: .pbkdf2SHA256(), bound: 1.8),
            Scheme(id: "pbkdf2-sha512", parameters: .pbkdf2SHA512(), bound: 1.6),
            Scheme(id: "scrypt-17", parameters: .scrypt(logN: 17), bound: 1.6),
            Scheme(id: "scrypt-14", parameters: .scrypt(logN: 14), bound: 1.6),
            Scheme(id: "bcrypt", parameters: .bcrypt(cost: 12), bound: 1.8),
            Scheme(id: "sha512-crypt", parameters: .sha512Crypt(), bound: 1.5),
            Scheme(id: "sha256-crypt", parameters: .sha256Crypt(), bound: 1.7),
        ]
        var outcomes: [Outcome] = []
        for scheme in schemes { outcomes.append(try await measure(scheme)) }
        return outcomes
    }

    private static func measure(_ scheme: Scheme) async throws -> Outcome {
        let context = try PasswordContext(policy: PasswordPolicy(preferred: scheme.parameters))
        let hash = try context.hash(right)
        var configuration = PasswordService.Configuration()
        configuration.concurrency = cores
        configuration.waitLimit = .seconds(1000)
        // Four lanes on each core.
        configuration.memory = max(configuration.memory, .bytes(4 * cores * scheme.parameters.memory.bytes))
        let service = try PasswordService(context: context, configuration: configuration)
        var (lonely, alone, storms) = ([Double](), [Double](), [Storm]())
        for _ in 0..<rounds {
            for _ in 0..<3 { lonely.append(try await verifySeconds(service, hash)) }
            alone.append(try oneByOneSeconds(context, hash))
            storms.append(try await storm(service, hash))
        }
        let lonelyMedian = Spread(lonely).median
        return Outcome(
            id: "storm-\(scheme.id)",
            title: "\(logins) logins at once on \(cores) cores, \(scheme.parameters)",
            rows: [
                Outcome.Row(name: "a lonely login", seconds: lonely),
                Outcome.Row(name: "first answer", seconds: storms.map(\.first)),
                Outcome.Row(name: "last answer", seconds: storms.map(\.last)),
                Outcome.Row(name: "one by one on \(cores) threads, all", seconds: alone),
            ],
            ratios: [
                Ratio(
                    id: "storm-\(scheme.id)",
                    ours: "PasswordService.verify, all \(logins)",
                    against: "PasswordContext.verify on \(cores) threads",
                    quantity: .speed,
                    unit: .times,
                    value: Spread(zip(alone, storms).map { $0 / $1.last }),
                    goal: .atLeast(scheme.bound)
                ),
                Ratio(
                    id: "storm-\(scheme.id)-first",
                    ours: "the first answer",
                    against: "a lonely login",
                    quantity: .time,
                    unit: .times,
                    value: Spread(storms.map { $0.first / lonelyMedian }),
                    goal: .atMost(2)
                ),
            ]
        )
    }

    private static func verifySeconds(_ service: PasswordService, _ hash: String) async throws -> Double {
        let start = ContinuousClock.now
        try await verify(0, service, hash)
        return start.duration(to: .now) / .seconds(1)
    }

    private static func verify(_ login: Int, _ service: PasswordService, _ hash: String) async throws {
        let isRight = login.isMultiple(of: 2)
        let answer = try await service.verify(
            isRight ? right : wrong,
            against: hash,
            account: "user\(login)",
            clientAddress: "192.0.2.\(login)"
        )
        guard answer.isMatch == isRight else { throw Failure(description: "a wrong answer") }
    }

    private static func storm(_ service: PasswordService, _ hash: String) async throws -> Storm {
        let start = ContinuousClock.now
        let seconds = try await withThrowingTaskGroup(of: Double.self) { group in
            for login in 0..<logins {
                group.addTask {
                    try await verify(login, service, hash)
                    return start.duration(to: .now) / .seconds(1)
                }
            }
            return try await group.reduce(into: [Double]()) { $0.append($1) }
        }
        return Storm(first: seconds.min() ?? 0, last: seconds.max() ?? 0)
    }

    /// Verifies as many passwords on threads that do nothing else, one at a time on each.
    private static func oneByOneSeconds(_ context: PasswordContext, _ hash: String) throws -> Double {
        let start = ContinuousClock.now
        // A failed verification ends the program's part: it would be a wrong figure.
        DispatchQueue.concurrentPerform(iterations: cores) { _ in
            for _ in 0..<logins / cores {
                precondition((try? context.verify(wrong, against: hash))?.isMatch == false)
            }
        }
        return start.duration(to: .now) / .seconds(1)
    }
}
