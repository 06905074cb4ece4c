// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginStorage {
    /// Returns stores in Redis, which any number of servers share.
    ///
    /// ```swift
    /// let configuration = try SharedStateConfiguration(key: secretOfAllServers)
    /// let service = try LoginService(accounts: users, mechanisms: […], storage: .redis(client, configuration: configuration, serverCount: 2))
    /// ```
    ///
    /// Attempts are counted by the server itself while Redis does not answer: see ``FallbackRateStore``. Everything else fails
    /// then, so that nothing is accepted twice.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    ///   - serverCount: The number of servers that share the state, at least 1.
    /// - Returns: The stores.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public static func redis(
        _ runner: some RedisScriptRunner,
        configuration: SharedStateConfiguration,
        serverCount: Int
    ) throws(LoginServerError) -> Self {
        let engine = RedisEngine(runner, configuration)
        return Self(
            challenges: RedisChallengeStore(engine),
            replays: RedisReplayStore(engine),
            rates: try FallbackRateStore(RedisRateStore(engine), serverCount: serverCount),
            sessions: RedisSessionStore(engine),
            completions: RedisCompletionStore(engine)
        )
    }
}
