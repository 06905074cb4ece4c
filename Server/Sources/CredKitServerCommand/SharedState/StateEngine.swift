// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

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
