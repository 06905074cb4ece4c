// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem
internal import CredKit

/// The single connection and session of this process with a bus, and the thread for its calls.
///
/// All stores share one session: negotiating several at once has crashed a daemon (gnome-keyring 50). A call that does
/// not return keeps its thread and its connection, and later calls get new ones.
final class SecretServiceLane: Sendable {
    private static let lanes = Lock<[String: SecretServiceLane]>([:])

    /// Returns the shared instance for a bus.
    static func to(_ address: String) -> SecretServiceLane {
        lanes.withLock { lanes in
            if let lane = lanes[address] { return lane }
            let lane = SecretServiceLane(address: address)
            lanes[address] = lane
            return lane
        }
    }

    private let address: String
    private let thread = SerialThread()
    private let connection = Lock<ServiceConnection?>(nil)

    init(address: String) { self.address = address }

    /// Runs an operation on the service.
    func run<Value: Sendable>(
        _ interaction: Interaction,
        _ body: @escaping @Sendable (ServiceCalls) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        do {
            return try await thread.run(deadline: interaction.callDeadline) { token in
                Result { () throws(KeychainError) in
                    try SecretLibrary.load()
                    let call = ServiceCall(token: token, interaction: interaction)
                    return try self.answer(call, body)
                }
            }
        } catch {
            guard error == .timedOut, error.description == KeychainError.timedOut.description else {
                throw error
            }
            // The connection may be blocked, so the next call gets a new one.
            connection.withLock { $0 = nil }
            throw .timedOut(
                "the Secret Service did not answer within \(interaction.callDeadline). If this continues, stop its "
                    + "daemon: it is started again when it is needed"
            )
        }
    }

    /// Runs an operation, and retries once if the service has lost the session: a call that used the lost session had
    /// no effect.
    private func answer<Value>(
        _ call: ServiceCall,
        _ body: (ServiceCalls) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let service = try open(call)
        do throws(KeychainError) {
            return try body(service)
        } catch {
            guard service.connection.hasLostSession else { throw error }
            return try body(open(call))
        }
    }

    /// Returns the service over the current connection, or over a new one if the bus or the service has changed.
    private func open(_ call: ServiceCall) throws(KeychainError) -> ServiceCalls {
        if let connection = connection.withLock({ $0 }) {
            let service = ServiceCalls(connection: connection, call: call)
            if !connection.hasLostSession, try service.isThere() { return service }
            self.connection.withLock { $0 = nil }
        }
        let new = try ServiceConnection(address: address, call: call)
        connection.withLock { $0 = new }
        return ServiceCalls(connection: new, call: call)
    }
}
#endif
