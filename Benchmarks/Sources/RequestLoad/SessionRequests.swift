// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitKeychain
import CredKitTesting

/// Sessions that are logged in to the benchmark server, one for each kind of connection.
package actor SessionRequests {
    private let servers: [String: String]
    private let makeTransport: @Sendable () throws -> any HTTPTransport
    private var sessions: [String: LoginSession] = [:]

    /// - Parameters:
    ///   - servers: The URL of each server by kind of connection.
    ///   - makeTransport: Creates the transport of a session.
    package init(
        servers: [String: String],
        makeTransport: @escaping @Sendable () throws -> any HTTPTransport
    ) {
        self.servers = servers
        self.makeTransport = makeTransport
    }

    /// The session over a kind of connection.
    package func session(_ scheme: String) async throws -> LoginSession {
        if let session = sessions[scheme] { return session }
        guard let server = servers[scheme] else { throw UnknownScheme() }
        var time = LoginProfile.ChallengeSource()
        time.format = .opaque
        let session = try LoginSession(
            server: server,
            profile: .timestamped(keyPhrase: "itheima", challenge: time),
            keychain: Keychain(store: InMemoryStore()),
            transport: try makeTransport()
        )
        try await session.logIn(username: "alice", password: "secret")
        sessions[scheme] = session
        return session
    }

    package struct UnknownScheme: Error { package init() {} }
}
