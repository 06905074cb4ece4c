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
/// Messages of CredKit contain no password, token, cookie or proof. URLs in them contain neither user information nor
/// a query. A ``serverMessage`` that repeats what was sent is left out, but that of a rejected login is kept: it is no part of
/// the ``description``.
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
        let expiredResponse: ExpiredResponse?

        init(
            _ code: Code,
            _ message: String,
            _ underlying: (any Error)?,
            _ response: (statusCode: Int?, serverCode: Int?, serverMessage: String?, retryAfter: Duration?),
            _ serverUTCOffset: Duration?,
            _ expiredResponse: ExpiredResponse?
        ) {
            self.code = code
            self.message = message
            self.underlying = underlying
            (statusCode, serverCode, serverMessage, retryAfter) = response
            self.serverUTCOffset = serverUTCOffset
            self.expiredResponse = expiredResponse
        }
    }

    private let storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// The same error, of a request whose response means that the login has expired.
    func answered(by response: ExpiredResponse) -> Self {
        Self(
            Storage(
                code,
                message,
                underlying,
                (statusCode, serverCode, serverMessage, retryAfter),
                serverUTCOffset,
                response
            )
        )
    }

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
        storage = Storage(code, message, underlying, response, serverUTCOffset, nil)
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

    /// The message in the server's envelope, or that of a response with an error status: the `title` and `detail` of a
    /// problem (RFC 9457), another JSON field that servers use, or plain text; `nil` if there is none.
    ///
    /// > Important: This is untrusted text in any length, with control characters. ``description`` contains its first
    /// > 200 characters, made safe for a terminal.
    public var serverMessage: String? { storage.serverMessage }

    /// How long to wait before a retry, if the server sent it.
    public var retryAfter: Duration? { storage.retryAfter }

    /// The response to the request itself, if it means that the login has expired, and the login could not be renewed.
    package var expiredResponse: ExpiredResponse? { storage.expiredResponse }

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
    /// The ``message``, followed by the ``serverMessage`` and ``retryAfter`` if there are any, made safe for a terminal. The
    /// message of a server that rejects a login is left out: it may repeat the password or the proof that was posted.
    public var description: String {
        let text = code == .invalidCredentials ? nil : serverMessage
        return message + ServerMessage.ending(text, retryAfter: retryAfter)
    }

    /// The ``code`` and the ``description``.
    public var debugDescription: String { "ClientError.\(code): \(description)" }

    /// Whether two errors have the same code, regardless of their other fields.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Compares codes for `catch .invalidCredentials`.
    public static func ~= (pattern: Self, error: Self) -> Bool { pattern == error }
}

extension ClientError {
    /// The kind of a failure.
    ///
    /// More codes may be added in later versions, and transports can define their own:
    ///
    /// ```swift
    /// extension ClientError.Code {
    ///     static let circuitOpen = Self(rawValue: "circuitOpen")
    /// }
    /// ```
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as `timedOut`.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: The name of the code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name of the code.
        public var description: String { rawValue }

        /// The server cannot be reached: there is no network, the host is unknown, or the connection was refused.
        public static let noConnection = Self(rawValue: "noConnection")
        /// The connection ended before the response was complete.
        public static let noResponse = Self(rawValue: "noResponse")
        /// A timeout expired.
        public static let timedOut = Self(rawValue: "timedOut")
        /// The task was cancelled. A pending operation may or may not have been completed.
        public static let cancelled = Self(rawValue: "cancelled")
        /// A text is not a valid http or https URL.
        public static let invalidURL = Self(rawValue: "invalidURL")
        /// The request would be sent unencrypted over a network.
        public static let insecureConnection = Self(rawValue: "insecureConnection")
        /// The server's certificate is not trusted, or no TLS connection can be established.
        public static let untrustedServer = Self(rawValue: "untrustedServer")
        /// The request is invalid: it has a header or a parameter that HTTP does not allow.
        public static let invalidRequest = Self(rawValue: "invalidRequest")
        /// The server redirects to a destination where the request must not be sent.
        public static let redirectRefused = Self(rawValue: "redirectRefused")
        /// The server redirects too often.
        public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
        /// The response is larger than allowed.
        public static let overLimit = Self(rawValue: "overLimit")
        /// The response is malformed: it is not JSON, or has another envelope or other types than expected.
        public static let malformedResponse = Self(rawValue: "malformedResponse")
        /// The server responded with a status that does not mean success; ``ClientError/statusCode`` contains it.
        public static let unexpectedStatus = Self(rawValue: "unexpectedStatus")
        /// The code in the server's envelope means failure; ``ClientError/serverCode`` contains it.
        public static let serverError = Self(rawValue: "serverError")
        /// The server rejected the user name or the password.
        public static let invalidCredentials = Self(rawValue: "invalidCredentials")
        /// The server asks for a one-time code after the password, and there is none.
        public static let oneTimeCodeRequired = Self(rawValue: "oneTimeCodeRequired")
        /// The server rejected the one-time code, or the code was used before. The password was right.
        public static let oneTimeCodeRejected = Self(rawValue: "oneTimeCodeRejected")
        /// The server says that the login has succeeded, or continues, without proving that it knows the password's
        /// verifier: it is not the server, or has lost its table. Nothing of its answer is kept.
        public static let serverNotAuthenticated = Self(rawValue: "serverNotAuthenticated")
        /// The login cannot be bound to its TLS connection, is for another connection, or the server's list of mechanisms
        /// was changed by an attacker.
        public static let channelBindingFailed = Self(rawValue: "channelBindingFailed")
        /// The TLS connection is not the one that a login is bound to. The request was not sent.
        public static let connectionChanged = Self(rawValue: "connectionChanged")
        /// The server asks for fewer iterations than the profile accepts, or for more.
        public static let iterationsRefused = Self(rawValue: "iterationsRefused")
        /// The session has logged in by SCRAM before, or its tokens are bound to a key (``DPoPMode``), and the profile would go
        /// back to a weaker mechanism; see ``LoginSession/Configuration/allowsMechanismDowngrade``. Or the server sends a token that
        /// is not bound, and must be.
        public static let mechanismDowngrade = Self(rawValue: "mechanismDowngrade")
        /// The server limits the rate of attempts; ``ClientError/retryAfter`` may say how long to wait.
        public static let tooManyAttempts = Self(rawValue: "tooManyAttempts")
        /// The login has expired and no password is saved to renew it: log in again.
        public static let reauthenticationRequired = Self(rawValue: "reauthenticationRequired")
        /// There is no browser that can be opened, or none that could bring its answer back to this computer: log in with
        /// another device.
        public static let browserUnavailable = Self(rawValue: "browserUnavailable")
        /// No answer to a login in the browser came in time, or too many wrong ones.
        public static let loginAbandoned = Self(rawValue: "loginAbandoned")
        /// The login expired and was renewed, but the server still reports it as expired.
        public static let sessionExpired = Self(rawValue: "sessionExpired")
        /// The server's challenge does not have the format that the profile declares.
        public static let malformedChallenge = Self(rawValue: "malformedChallenge")
        /// The server's time differs too much from this computer's time.
        public static let clockSkew = Self(rawValue: "clockSkew")
        /// The UTC offset of the server's clock has changed since the first login.
        public static let serverUTCOffsetChanged = Self(rawValue: "serverUTCOffsetChanged")
        /// The login profile is invalid.
        public static let invalidProfile = Self(rawValue: "invalidProfile")
        /// The keychain failed; ``ClientError/keychainError`` contains the reason.
        public static let keychain = Self(rawValue: "keychain")
        /// The session file cannot be read or written.
        public static let storage = Self(rawValue: "storage")
        /// Other users can change or replace a file or its folder: that of the session or its authorities, or of a download.
        public static let insecureFile = Self(rawValue: "insecureFile")
        /// A file that the connection settings name cannot be read.
        public static let unreadableFile = Self(rawValue: "unreadableFile")
        /// A certificate or key file is empty or malformed, or contains something that is not allowed there.
        public static let invalidCertificateFile = Self(rawValue: "invalidCertificateFile")
        /// Users other than the owner have access to a private key file.
        public static let insecureKeyFile = Self(rawValue: "insecureKeyFile")
        /// libcurl is missing or unusable. The description says what to install.
        public static let missingLibrary = Self(rawValue: "missingLibrary")
        /// A proxy refused to forward the request. ``ClientError/statusCode`` may contain its response status: 407 if
        /// it requires a password.
        public static let proxyRefused = Self(rawValue: "proxyRefused")
        /// A transport that is not part of CredKit failed with an error of its own, which
        /// ``ClientError/underlying`` contains.
        public static let transport = Self(rawValue: "transport")
        /// There is no stored response that may be used, and only one was wanted; see ``CachePolicy/onlyIfCached``.
        public static let notCached = Self(rawValue: "notCached")
        /// The request was not sent, because one to the same endpoint is under way; see ``DuplicatePolicy/ignore``.
        public static let duplicateRequest = Self(rawValue: "duplicateRequest")
        /// A list has more pages than ``PagedEndpoint/maximumPageCount``.
        public static let tooManyPages = Self(rawValue: "tooManyPages")
        /// The server sent a page of a list again instead of the next one.
        public static let repeatedPage = Self(rawValue: "repeatedPage")
        /// The link to the next page of a list leads to another server.
        public static let pageLinkRefused = Self(rawValue: "pageLinkRefused")
        /// An interceptor that is not part of CredKit failed with an error of its own, which
        /// ``ClientError/underlying`` contains.
        public static let interceptor = Self(rawValue: "interceptor")
        /// The program's own stream of a request body failed; ``ClientError/underlying`` contains its error.
        public static let requestBody = Self(rawValue: "requestBody")
        /// The program's own code for a streamed response failed; ``ClientError/underlying`` contains its error.
        public static let responseHandler = Self(rawValue: "responseHandler")
        /// A file to download to, or a file to send, cannot be used, or changed while it was sent.
        public static let localFile = Self(rawValue: "localFile")
        /// Not enough memory is available.
        public static let outOfMemory = Self(rawValue: "outOfMemory")
    }
}
