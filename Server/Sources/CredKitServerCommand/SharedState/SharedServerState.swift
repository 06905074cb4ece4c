// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// What this server shares with others: an engine, stores in it, and keys that all servers derive alike.
struct SharedServerState: Sendable {
    let configuration: SharedStateConfiguration
    let storage: LoginStorage
    /// The name of the engine in messages.
    let engineName: String
    private let engine: any StateEngine

    /// The pause between two removals of what has expired. Each server removes, so that it does not matter which of them run.
    private static let purgePause = Duration.seconds(60)

    /// Connects to the engine.
    init(_ options: StateOptions) async throws {
        configuration = try options.configuration()
        engine = try await options.engine()
        engineName = engine.name
        storage = try engine.storage(configuration, serverCount: options.processes)
    }

    /// The passkeys of all servers; `nil` if the engine keeps none.
    var passkeys: (any PasskeyStore)? { engine.passkeys(configuration) }

    /// Finds why this server cannot be used.
    func problems() async -> [SharedStateProblem] { await engine.problems(configuration, checksRights: true) }

    /// Whether this server can log users in now.
    var readiness: ReadinessCheck {
        ReadinessCheck("shared state") { [engine, configuration] in
            if let problem = await engine.problems(configuration, checksRights: false).first {
                throw SharedStateError(.failed, message: problem.description)
            }
        }
    }

    /// Removes what has expired, until the task is cancelled.
    ///
    /// - Parameter log: Gets a warning when it fails.
    func purge(_ log: ServerLog) async {
        while !Task.isCancelled {
            // Servers that were started together must not remove at the same moment.
            try? await Task.sleep(for: Self.purgePause * Double.random(in: 0.5...1.5))
            do {
                try await engine.purge(configuration)
            } catch is CancellationError {
                return
            } catch {
                log.note(.warning, "purge", "what has expired cannot be removed from \(engineName): \(error)")
            }
        }
    }

    /// Closes the connections.
    func stop() async { await engine.stop() }

    /// Returns the failure of a server that cannot start with this state.
    func failure(_ problem: SharedStateProblem) -> CommandFailure {
        CommandFailure(.unavailable, "cannot share state in \(engineName): \(problem)")
    }
}

/// A server that keeps what login servers share, with the connections to it.
protocol StateEngine: Sendable {
    /// Its name in messages.
    var name: String { get }

    /// Returns the stores in it.
    ///
    /// - Parameters:
    ///   - configuration: What all servers agree on.
    ///   - serverCount: The number of servers that share them.
    /// - Returns: The stores.
    /// - Throws: ``CredKitServer/LoginServerError/invalidConfiguration``.
    func storage(_ configuration: SharedStateConfiguration, serverCount: Int) throws(LoginServerError)
        -> LoginStorage

    /// Returns the passkeys in it.
    ///
    /// - Parameter configuration: What all servers agree on.
    /// - Returns: The passkeys; `nil` if it can lose what must last.
    func passkeys(_ configuration: SharedStateConfiguration) -> (any PasskeyStore)?

    /// Finds why it cannot be used.
    ///
    /// - Parameters:
    ///   - configuration: What all servers agree on.
    ///   - checksRights: Whether to find missing rights, too, which takes longer.
    /// - Returns: The problems; empty if servers may start.
    func problems(_ configuration: SharedStateConfiguration, checksRights: Bool) async -> [SharedStateProblem]

    /// Removes what has expired, if the engine does not do so by itself.
    ///
    /// - Parameter configuration: What all servers agree on.
    /// - Throws: What the engine fails with.
    func purge(_ configuration: SharedStateConfiguration) async throws

    /// Closes the connections.
    func stop() async
}
