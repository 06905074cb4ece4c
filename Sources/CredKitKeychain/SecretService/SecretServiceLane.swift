// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem
internal import CredKit

/// The one connection and the one session that this process has with a bus, and the thread that its calls are on.
///
/// One session serves all stores: negotiating several at once has brought a daemon down (gnome-keyring 50). A call
/// that does not give in keeps its thread and its connection, and the next calls get others.
final class SecretServiceLane: Sendable {
    private static let lanes = Lock<[String: SecretServiceLane]>([:])

    /// The lane to a bus.
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
            // Whatever the connection is waiting for, the next call does not wait for it, too.
            connection.withLock { $0 = nil }
            throw .timedOut(
                "the Secret Service did not answer within \(interaction.callDeadline). If that lasts, end its daemon: "
                    + "it is started again when it is needed"
            )
        }
    }

    /// Runs an operation, once more if the service has forgotten the session: what names that one was not done.
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

    /// The service, over the connection that there is, or over a new one if the bus or the service is another now.
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
