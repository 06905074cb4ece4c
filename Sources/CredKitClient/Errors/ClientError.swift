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
/// }
/// ```
///
/// Errors contain no password, token, cookie or proof. URLs in errors contain neither user information nor a
/// query.
public struct ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable {
        case noConnection, noResponse, timedOut, cancelled
        case invalidURL, insecureConnection, untrustedServer, invalidRequest
        case redirectRefused, tooManyRedirects
        case overLimit, malformedResponse, status, serverError
        case invalidCredentials, tooManyAttempts, reauthenticationRequired, sessionExpired
        case malformedChallenge, clockSkew, serverUTCOffsetChanged
        case invalidProfile, keychain, storage, outOfMemory
        case missingLibrary, proxyRefused
        case unreadableFile, invalidCertificateFile, insecureKeyFile
    }

    private let code: Code

    /// A human-readable message: the reason, and what to do about it where possible.
    public let description: String

    /// The number of the error in clients of the article's kind: −10 without a network, −11 without a
    /// response, or the server's own code. `nil` if there is none.
    public let number: Int?

    /// The status of the response that caused the error; `nil` if there was no response.
    public let status: Int?

    /// The number of seconds to wait before a retry, if the server sent it.
    public let retryAfter: Int?

    /// The error of the keychain, for a ``keychain`` error.
    public let keychainError: KeychainError?

    /// How far the server's clock is ahead of UTC in minutes, for a ``serverUTCOffsetChanged`` error. This is the
    /// value to accept.
    public let serverUTCOffset: Int?

    private init(
        _ code: Code,
        _ description: String,
        number: Int? = nil,
        status: Int? = nil,
        retryAfter: Int? = nil,
        keychainError: KeychainError? = nil,
        serverUTCOffset: Int? = nil
    ) {
        self.code = code
        self.description = description
        self.number = number
        self.status = status
        self.retryAfter = retryAfter
        self.keychainError = keychainError
        self.serverUTCOffset = serverUTCOffset
    }

    /// The server cannot be reached: there is no network, the host is unknown, or the connection was refused.
    /// Its ``number`` is −10.
    public static let noConnection = noConnection("cannot reach the server")
    /// The connection ended before the response was complete. Its ``number`` is −11.
    public static let noResponse = noResponse("the server closed the connection before it sent a response")
    /// A timeout expired. Its ``number`` is −11.
    public static let timedOut = timedOut("timed out waiting for a response")
    /// The task was cancelled. A pending operation may or may not have been completed.
    public static let cancelled = Self(.cancelled, "cancelled")
    /// A text is not a valid http or https URL.
    public static let invalidURL = invalidURL("invalid URL")
    /// The request would be sent unencrypted over a network.
    public static let insecureConnection = insecureConnection("refusing to use an unencrypted connection")
    /// The server's certificate is not trusted, or no TLS connection can be established.
    public static let untrustedServer = untrustedServer("the server's certificate is not trusted")
    /// The request is invalid: it has a header or a parameter that HTTP does not allow.
    public static let invalidRequest = invalidRequest("invalid request")
    /// The server redirects to a destination where the request must not be sent.
    public static let redirectRefused = redirectRefused("refusing to follow the redirect")
    /// The server redirects too often.
    public static let tooManyRedirects = tooManyRedirects("too many redirects")
    /// The response is larger than allowed.
    public static let overLimit = overLimit("the response is too large")
    /// The response is malformed: it is not JSON, or has another envelope or other types than expected.
    public static let malformedResponse = malformedResponse("malformed response")
    /// The server responded with an error status; ``status`` contains it.
    public static let status = Self(.status, "the server responded with an error status")
    /// The code in the server's envelope means failure; ``number`` contains it.
    public static let serverError = serverError("the server refused the request", number: nil)
    /// The server rejected the user name or the password.
    public static let invalidCredentials = invalidCredentials(
        "the server rejected the user name or password"
    )
    /// The server limits the rate of attempts; ``retryAfter`` may say how long to wait.
    public static let tooManyAttempts = tooManyAttempts("too many attempts")
    /// The login has expired and no password is saved to renew it: log in again.
    public static let reauthenticationRequired = reauthenticationRequired(
        "the login has expired and its password is not saved: log in again"
    )
    /// The login expired and was renewed, but the server still reports it as expired.
    public static let sessionExpired = sessionExpired(
        "the server still reports the login as expired after it was renewed"
    )
    /// The server's challenge does not have the format that the profile declares.
    public static let malformedChallenge = malformedChallenge(
        "malformed challenge: it does not have the declared format"
    )
    /// The server's time differs too much from this computer's time.
    public static let clockSkew = clockSkew(
        "the server's time differs too much from this computer's time"
    )
    /// The UTC offset of the server's clock has changed since the first login.
    public static let serverUTCOffsetChanged = Self(
        .serverUTCOffsetChanged,
        "the UTC offset of the server's clock has changed"
    )
    /// The login profile is invalid.
    public static let invalidProfile = invalidProfile("invalid login profile")
    /// The keychain failed; ``keychainError`` contains the reason.
    public static let keychain = Self(.keychain, "the keychain failed")
    /// The session file cannot be read or written.
    public static let storage = storage("cannot read or write the session file")
    /// A file that the connection settings name cannot be read.
    public static let unreadableFile = unreadableFile("cannot read a file that the connection settings name")
    /// A certificate or key file is empty or malformed, or contains something that is not allowed there.
    public static let invalidCertificateFile = invalidCertificateFile("invalid certificate or key file")
    /// Users other than the owner have access to a private key file.
    public static let insecureKeyFile = insecureKeyFile("other users can access a private key file")
    /// libcurl is missing or unusable. The description says what to install.
    public static let missingLibrary = missingLibrary("cannot load libcurl")
    /// A proxy refused to forward the request. ``status`` may contain its response status: 407 if it requires
    /// a password.
    public static let proxyRefused = proxyRefused("the proxy refused to forward the request")
    /// Not enough memory is available.
    public static let outOfMemory = Self(.outOfMemory, "there is not enough memory")

    static func noConnection(_ text: String) -> Self { .init(.noConnection, text, number: -10) }
    static func noResponse(_ text: String) -> Self { .init(.noResponse, text, number: -11) }
    static func timedOut(_ text: String) -> Self { .init(.timedOut, text, number: -11) }
    static func invalidURL(_ text: String) -> Self { .init(.invalidURL, text) }
    static func insecureConnection(_ text: String) -> Self { .init(.insecureConnection, text) }
    static func untrustedServer(_ text: String) -> Self { .init(.untrustedServer, text) }
    static func invalidRequest(_ text: String) -> Self { .init(.invalidRequest, text) }
    static func redirectRefused(_ text: String, status: Int? = nil) -> Self {
        .init(.redirectRefused, text, status: status)
    }
    static func tooManyRedirects(_ text: String) -> Self { .init(.tooManyRedirects, text) }
    static func overLimit(_ text: String, status: Int? = nil) -> Self {
        .init(.overLimit, text, status: status)
    }
    static func malformedResponse(_ text: String, status: Int? = nil) -> Self {
        .init(.malformedResponse, text, status: status)
    }
    static func status(_ status: Int, _ text: String, retryAfter: Int? = nil) -> Self {
        .init(.status, text, status: status, retryAfter: retryAfter)
    }
    static func serverError(_ text: String, number: Int?, status: Int? = nil) -> Self {
        .init(.serverError, text, number: number, status: status)
    }
    static func invalidCredentials(_ text: String, number: Int? = nil, status: Int? = nil) -> Self {
        .init(.invalidCredentials, text, number: number, status: status)
    }
    static func tooManyAttempts(_ text: String, retryAfter: Int? = nil, status: Int? = nil) -> Self {
        .init(.tooManyAttempts, text, status: status, retryAfter: retryAfter)
    }
    static func reauthenticationRequired(_ text: String) -> Self { .init(.reauthenticationRequired, text) }
    static func sessionExpired(_ text: String) -> Self { .init(.sessionExpired, text) }
    static func malformedChallenge(_ text: String) -> Self { .init(.malformedChallenge, text) }
    static func clockSkew(_ text: String) -> Self { .init(.clockSkew, text) }
    static func serverUTCOffsetChanged(_ text: String, to offset: Int) -> Self {
        .init(.serverUTCOffsetChanged, text, serverUTCOffset: offset)
    }
    static func invalidProfile(_ text: String) -> Self { .init(.invalidProfile, text) }
    static func keychain(_ error: KeychainError) -> Self {
        if error == .cancelled { return .cancelled }
        return .init(.keychain, error.description, keychainError: error)
    }
    static func storage(_ text: String) -> Self { .init(.storage, text) }
    static func missingLibrary(_ text: String) -> Self { .init(.missingLibrary, text) }
    static func proxyRefused(_ text: String, status: Int? = nil) -> Self {
        .init(.proxyRefused, text, status: status)
    }
    static func unreadableFile(_ text: String) -> Self { .init(.unreadableFile, text) }
    static func invalidCertificateFile(_ text: String) -> Self { .init(.invalidCertificateFile, text) }
    static func insecureKeyFile(_ text: String) -> Self { .init(.insecureKeyFile, text) }

    /// Whether two errors have the same code, regardless of their messages.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Compares codes for `catch .invalidCredentials`.
    public static func ~= (pattern: Self, error: Self) -> Bool { pattern == error }
}
