// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A shared state in Redis.
struct RedisStateEngine: StateEngine {
    private let client: RedisClient

    /// Connects to Redis.
    init(_ settings: RedisSettings) async {
        client = RedisClient(settings)
        // Why a connection fails is among the problems.
        try? await client.start()
    }

    var name: String { "Redis" }

    func storage(_ configuration: SharedStateConfiguration, serverCount: Int) throws(LoginServerError)
        -> LoginStorage
    {
        try .redis(client, configuration: configuration, serverCount: serverCount)
    }

    func passkeys(_: SharedStateConfiguration) -> (any PasskeyStore)? { nil }

    func problems(_ configuration: SharedStateConfiguration, checksRights: Bool) async -> [SharedStateProblem]
    {
        await RedisStateCheck(client, configuration: configuration).problems(checkingRights: checksRights)
    }

    func purge(_: SharedStateConfiguration) {}

    func stop() async { await client.stop() }
}
