// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKit
import CredKitServer
import CredKitTerminal

/// What this server shares with others: a connection to Redis, stores in it, and keys that all servers derive alike.
struct SharedServerState: Sendable {
    let configuration: SharedStateConfiguration
    let storage: LoginStorage
    private let client: RedisClient

    /// Connects to Redis.
    init(_ options: StateOptions) async throws {
        configuration = try options.configuration()
        client = RedisClient(try options.redisSettings())
        storage = try .redis(client, configuration: configuration, serverCount: options.processes)
        // Why a connection fails is among the problems.
        try? await client.start()
    }

    /// Finds why this server cannot be used.
    func problems() async -> [SharedStateProblem] {
        await RedisStateCheck(client, configuration: configuration).problems()
    }

    /// Whether this server can log users in now.
    var readiness: ReadinessCheck {
        ReadinessCheck("shared state") { [client, configuration] in
            let check = RedisStateCheck(client, configuration: configuration)
            if let problem = await check.problems(checkingRights: false).first {
                throw SharedStateError(.failed, message: problem.description)
            }
        }
    }

    /// Closes the connections.
    func stop() async { await client.stop() }

    /// Returns the failure of a server that cannot start with this state.
    static func failure(_ problem: SharedStateProblem) -> CommandFailure {
        CommandFailure(.unavailable, "cannot share state in Redis: \(problem)")
    }
}
#endif
