// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem

/// Passkeys in a file, for one server.
///
/// ```swift
/// let store = FilePasskeyStore(path: "/var/lib/login/passkeys.json")
/// ```
///
/// The file is JSON. Each change writes a new file in place of the old one, and ends when it is on the disk: a crash leaves the
/// old one or the new one. Programs of the same user may use the file at the same time, such as a command that removes a
/// passkey while the server runs; those of others, also root, are refused. Several servers need a ``PostgreSQLPasskeyStore``.
///
/// A file that is missing is empty until the first change. Its folder must exist, and only this user may be able to change
/// either.
public final class FilePasskeyStore: PasskeyStore {
    /// How long a call may wait for the disk, and for other programs.
    private static let deadline = Duration.seconds(10)

    private let file: PasskeyFile
    private let thread = SerialThread()

    /// Creates a store. Nothing is read before the first call.
    ///
    /// - Parameter path: The path of the file. Beside it there is a file for locking, `.NAME.lock`.
    public init(path: String) {
        file = PasskeyFile(path: path)
    }

    /// Returns the user handle of an account, which is created if it has none.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The handle.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func userHandle(ofAccountNamed name: String) async throws(LoginServerError) -> [UInt8] {
        if let handle = try await read({ $0.accounts[Array(name.utf8)]?.handle }) { return handle }
        return try await change { $0.handle(of: name, new: SecureRandom.bytes(count: 32)) }
    }

    /// Returns the account of a user handle.
    ///
    /// - Parameter handle: The handle.
    /// - Returns: The name of the account; `nil` if no account has the handle.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func account(ofUserHandle handle: [UInt8]) async throws(LoginServerError) -> String? {
        try await read { $0.account(ofUserHandle: handle) }
    }

    /// Returns the passkeys of an account, in the order in which they were added.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The passkeys.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func credentials(
        ofAccountNamed name: String
    ) async throws(LoginServerError) -> [PasskeyCredential] {
        try await read { $0.credentials(of: name) }
    }

    /// Returns the passkey with an identifier.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The passkey; `nil` if there is none.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func credential(id: [UInt8]) async throws(LoginServerError) -> PasskeyCredential? {
        try await read { $0.credentials[id] }
    }

    /// Adds a passkey, unless an account has one with its identifier, or its own account has as many as it may.
    ///
    /// - Parameters:
    ///   - credential: The passkey.
    ///   - limit: The maximum number of passkeys of the account.
    /// - Returns: What happened.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func add(
        _ credential: PasskeyCredential,
        limit: Int
    ) async throws(LoginServerError) -> PasskeyAddition {
        try await change { $0.add(credential, limit: limit) }
    }

    /// Stores what a login has shown, if the stored record is still the one that was verified.
    ///
    /// - Parameters:
    ///   - record: The new record.
    ///   - old: The record that was verified.
    ///   - time: The time of the login.
    /// - Returns: Whether it was stored.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) async throws(LoginServerError) -> Bool {
        try await change { $0.recordUse(record, replacing: old, at: time) }
    }

    /// Renames a passkey.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - account: The name of the account.
    ///   - name: The new name of the passkey.
    /// - Returns: Whether the account has the passkey.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func rename(
        _ id: [UInt8],
        ofAccountNamed account: String,
        to name: String
    ) async throws(LoginServerError) -> Bool {
        try await change { $0.rename(id, of: account, to: name) }
    }

    /// Removes a passkey, unless it is the last one and must stay.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - account: The name of the account.
    ///   - retainsLast: Whether the last passkey of the account stays.
    /// - Returns: What happened.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func remove(
        _ id: [UInt8],
        ofAccountNamed account: String,
        retainingLast retainsLast: Bool
    ) async throws(LoginServerError) -> PasskeyRemoval {
        try await change { $0.remove(id, of: account, retainingLast: retainsLast) }
    }

    /// Removes all passkeys of an account.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The number of passkeys that were removed.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func removeAll(ofAccountNamed name: String) async throws(LoginServerError) -> Int {
        try await change { $0.removeAll(of: name) }
    }

    /// Returns how many passkeys an account has, and whether it requires one.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: Both.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func state(
        ofAccountNamed name: String
    ) async throws(LoginServerError) -> PasskeyAccountState {
        try await read { $0.state(of: name) }
    }

    /// Stores whether an account requires a passkey.
    ///
    /// - Parameters:
    ///   - isRequired: Whether it does.
    ///   - name: The name of the account.
    /// - Returns: Whether it was stored.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func setPasskeyRequired(
        _ isRequired: Bool,
        ofAccountNamed name: String
    ) async throws(LoginServerError) -> Bool {
        try await change { $0.setPasskeyRequired(isRequired, of: name) }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (PasskeyTable) -> Value
    ) async throws(LoginServerError) -> Value {
        try await run { file throws(SystemError) in try file.read(body) }
    }

    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout PasskeyTable) -> Value
    ) async throws(LoginServerError) -> Value {
        try await run { file throws(SystemError) in try file.change(body) }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (PasskeyFile) throws(SystemError) -> Value
    ) async throws(LoginServerError) -> Value {
        let file = self.file
        return try await thread.run(
            deadline: Self.deadline,
            orThrow: { failure in Self.error(for: failure, file.path) }
        ) { _ -> Result<Value, LoginServerError> in
            do throws(SystemError) {
                return .success(try body(file))
            } catch {
                return .failure(
                    LoginServerError(
                        .storeFailed,
                        message: "the store of passkeys failed: \(error.description)"
                    )
                )
            }
        }
    }

    private static func error(for failure: CallFailure, _ path: String) -> LoginServerError {
        switch failure {
        case .cancelled: .cancelled
        case .timedOut:
            LoginServerError(.storeFailed, message: "\(path) was not read or written in time")
        case .noThread:
            LoginServerError(.storeFailed, message: "no thread can be started to read or write \(path)")
        }
    }
}
