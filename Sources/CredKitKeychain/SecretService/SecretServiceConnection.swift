// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKitSystem
internal import CredKit

/// The single session and session of this process with a bus, and the thread for its calls.
///
/// All stores share one session: negotiating several at once has crashed a daemon (gnome-keyring 50). A call that does
/// not return keeps its thread and its session, and later calls get new ones.
final class SecretServiceConnection: Sendable {
    private static let connections = Lock<[String: SecretServiceConnection]>([:])

    /// Returns the shared instance for a bus.
    static func to(_ address: String) -> SecretServiceConnection {
        connections.withLock { connections in
            if let connection = connections[address] { return connection }
            let connection = SecretServiceConnection(address: address)
            connections[address] = connection
            return connection
        }
    }

    private let address: String
    private let thread = SerialThread()
    private let session = Lock<ServiceSession?>(nil)

    init(address: String) { self.address = address }

    /// Runs an operation on the service.
    func run<Value: Sendable>(
        _ promptPolicy: PromptPolicy,
        _ body: @escaping @Sendable (ServiceCalls) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        do {
            return try await thread.run(
                deadline: promptPolicy.serviceTimeout,
                orThrow: { KeychainError($0) }
            ) { token -> Result<Value, KeychainError> in
                Result { () throws(KeychainError) in
                    try SecretLibrary.load()
                    let call = ServiceCall(token: token, promptPolicy: promptPolicy)
                    return try self.answer(call, body)
                }
            }
        } catch {
            guard error.detail == .deadline else { throw error }
            // The session may be blocked, so the next call gets a new one.
            session.withLock { $0 = nil }
            throw .timedOut(
                "the Secret Service did not answer within \(promptPolicy.serviceTimeout). If this continues, stop its "
                    + "daemon: it is started again when it is needed"
            )
        }
    }

    /// Runs an operation, and retries once if the service has lost the session.
    ///
    /// The service refused the call that used the lost session. Changes that the operation made before are found when it
    /// is repeated, and not made again.
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

    /// Returns the service over the current session, or over a new one if the bus or the service has changed.
    private func open(_ call: ServiceCall) throws(KeychainError) -> ServiceCalls {
        if let session = session.withLock({ $0 }) {
            let service = ServiceCalls(connection: session, call: call)
            if !session.hasLostSession, try service.isThere() { return service }
            self.session.withLock { $0 = nil }
        }
        let new = try ServiceSession.open(address, call)
        session.withLock { $0 = new }
        return ServiceCalls(connection: new, call: call)
    }
}
#endif
