// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitKeychain

/// The reason why a login, or a request that needs one, failed.
///
/// Two errors are equal if their codes are equal, so they can be caught by name:
///
/// ```swift
/// do {
///     try await session.logIn(username: "alice", password: password)
/// } catch .invalidCredentials {
///     …
/// } catch where error.code == .tooManyAttempts {
///     try await Task.sleep(for: error.retryAfter ?? .seconds(60))
/// } catch {
///     …
/// }
/// ```
///
/// Transports that are not part of CredKit create errors with
/// ``init(_:message:underlying:statusCode:serverCode:serverMessage:retryAfter:serverUTCOffset:)``.
/// Any other error that they throw is wrapped: ``underlying`` contains it.
///
/// Errors of CredKit contain no password, token, cookie or proof. URLs in them contain neither user information nor
/// a query.
public struct ClientError: Error, Sendable {
    /// The fields. An error is one reference, so that functions that throw it stay cheap.
    private final class Storage: Sendable {
        let code: Code
        let message: String
        let underlying: (any Error)?
        let statusCode: Int?
        let serverCode: Int?
        let serverMessage: String?
        let retryAfter: Duration?
        let serverUTCOffset: Duration?

        init(
            _ code: Code,
            _ message: String,
            _ underlying: (any Error)?,
            _ response: (statusCode: Int?, serverCode: Int?, serverMessage: String?, retryAfter: Duration?),
            _ serverUTCOffset: Duration?
        ) {
            self.code = code
            self.message = message
            self.underlying = underlying
            (statusCode, serverCode, serverMessage, retryAfter) = response
            self.serverUTCOffset = serverUTCOffset
        }
    }

    private let storage: Storage

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The reason for people, and what to do about it where possible. It must contain no secret.
    ///   - underlying: The error that caused this one; `nil` if there is none.
    ///   - statusCode: The status of the response that caused the error, such as 503.
    ///   - serverCode: The code in the server's envelope.
    ///   - serverMessage: The message in the server's envelope, unchanged.
    ///   - retryAfter: How long to wait before a retry.
    ///   - serverUTCOffset: How far the server's clock is ahead of UTC, for ``Code/serverUTCOffsetChanged``.
    public init(
        _ code: Code,
        message: String,
        underlying: (any Error)? = nil,
        statusCode: Int? = nil,
        serverCode: Int? = nil,
        serverMessage: String? = nil,
        retryAfter: Duration? = nil,
        serverUTCOffset: Duration? = nil
    ) {
        let response = (statusCode, serverCode, serverMessage, retryAfter)
        storage = Storage(code, message, underlying, response, serverUTCOffset)
    }

    /// The kind of failure.
    public var code: Code { storage.code }

    /// The reason for people, in CredKit's or the transport's own words, and what to do about it where possible.
    public var message: String { storage.message }

    /// The error that caused this one: a `KeychainError`, or what a transport or a body stream of the program has
    /// thrown. CredKit does not check what a foreign error contains.
    public var underlying: (any Error)? { storage.underlying }

    /// The status of the response that caused the error; `nil` if there was no response.
    public var statusCode: Int? { storage.statusCode }

    /// The code in the server's envelope; `nil` if there is none.
    public var serverCode: Int? { storage.serverCode }

    /// The message in the server's envelope; `nil` if there is none.
    ///
    /// > Important: This is untrusted text in any length, with control characters. ``description`` contains its first
    /// > 200 characters, made safe for a terminal.
    public var serverMessage: String? { storage.serverMessage }

    /// How long to wait before a retry, if the server sent it.
    public var retryAfter: Duration? { storage.retryAfter }

    /// How far the server's clock is ahead of UTC, for a ``Code/serverUTCOffsetChanged`` error: the value to pass to
    /// ``LoginSession/trustServerUTCOffset(_:)``.
    public var serverUTCOffset: Duration? { storage.serverUTCOffset }

    /// The ``underlying`` error of the keychain, for a ``Code/keychain`` error.
    public var keychainError: KeychainError? { underlying as? KeychainError }

    /// The error number that other clients of the timestamped login use: −10 if the server cannot be reached, −11 if
    /// there is no response. `nil` for all other errors; see ``serverCode`` for the server's own numbers.
    public var legacyCode: Int? {
        switch code {
        case .noConnection: -10
        case .noResponse, .timedOut: -11
        default: nil
        }
    }
}

extension ClientError: Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The ``message``, followed by the ``serverMessage`` if there is one, made safe for a terminal. The message of a
    /// server that rejects a login is left out: it may repeat the password or the proof that was posted.
    public var description: String {
        guard let text = serverMessage, !text.isEmpty, code != .invalidCredentials, code != .tooManyAttempts
        else {
            return message
        }
        return "\(message): \(TerminalSafeText.text(text, upTo: 200))"
    }

    /// The ``code`` and the ``description``.
    public var debugDescription: String { "ClientError.\(code): \(description)" }

    /// Whether two errors have the same code, regardless of their other fields.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Compares codes for `catch .invalidCredentials`.
    public static func ~= (pattern: Self, error: Self) -> Bool { pattern == error }
}
