// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitKeychain

/// Why a login, or a request that needs one, was not done.
///
/// Two errors are equal when their codes are, so that they can be caught by name:
///
/// ```swift
/// do {
///     try await session.logIn(username: "alice", password: password)
/// } catch .rejected {
///     …
/// }
/// ```
///
/// Errors hold no password, token, cookie or proof, and of a URL neither user information nor query.
public struct LoginError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable {
        case noConnection, noResponse, timedOut, cancelled
        case invalidURL, insecureConnection, untrustedServer, invalidRequest
        case redirectRefused, tooManyRedirects
        case overLimit, malformedResponse, status, refused
        case rejected, tooManyAttempts, credentialsNeeded, sessionExpired
        case malformedTime, timeRefused, timeOffsetChanged
        case invalidProfile, keychain, storage, outOfMemory
        case missingLibrary, proxyRefused
        case unreadableFile, invalidCertificateFile, insecureKeyFile
    }

    private let code: Code

    /// A sentence for people: what is wrong and, where something can be done, what.
    public let description: String

    /// The number that clients of the articles' kind know an error by: −10 without a network, −11 without a response, and
    /// a server's own code where it sent one. `nil` where there is none.
    public let number: Int?

    /// The status of the response that the error is about, if one came.
    public let status: Int?

    /// How many seconds to wait before another attempt, if the server said so.
    public let retryAfter: Int?

    /// What the keychain said, of a ``keychain`` error.
    public let keychainError: KeychainError?

    /// How far the server's clock is ahead of UTC, in minutes, of a ``timeOffsetChanged`` error: what has to be accepted.
    public let timeOffset: Int?

    private init(
        _ code: Code,
        _ description: String,
        number: Int? = nil,
        status: Int? = nil,
        retryAfter: Int? = nil,
        keychainError: KeychainError? = nil,
        timeOffset: Int? = nil
    ) {
        self.code = code
        self.description = description
        self.number = number
        self.status = status
        self.retryAfter = retryAfter
        self.keychainError = keychainError
        self.timeOffset = timeOffset
    }

    /// The server cannot be reached: no network, no such host, nothing that listens. Its ``number`` is −10.
    public static let noConnection = noConnection("the server cannot be reached")
    /// The connection ended before the response did. Its ``number`` is −11.
    public static let noResponse = noResponse("the server closed the connection before it had answered")
    /// A deadline passed. Its ``number`` is −11.
    public static let timedOut = timedOut("no response in time")
    /// The task was cancelled. What was under way may or may not have been done.
    public static let cancelled = Self(.cancelled, "cancelled")
    /// A text is no URL that requests can be sent to.
    public static let invalidURL = invalidURL("not a URL of a server")
    /// The request would go in clear over a network.
    public static let insecureConnection = insecureConnection("the connection would not be encrypted")
    /// The server's certificate is not trusted, or no TLS connection can be made with it.
    public static let untrustedServer = untrustedServer("the server's certificate is not trusted")
    /// The request cannot be sent as it is: a header or a parameter that HTTP does not allow.
    public static let invalidRequest = invalidRequest("the request cannot be sent")
    /// The server redirects to where the request must not go.
    public static let redirectRefused = redirectRefused("the redirect was not followed")
    /// The server redirects again and again.
    public static let tooManyRedirects = tooManyRedirects("too many redirects")
    /// The response is larger than allowed.
    public static let overLimit = overLimit("the response is over the limit")
    /// The response is not what was to be expected: no JSON, another envelope, other types.
    public static let malformedResponse = malformedResponse("the response cannot be understood")
    /// The server answered with a status that is no success; ``status`` has it.
    public static let status = Self(.status, "the server answered with an error")
    /// The server's envelope says that it refused; ``number`` has its code.
    public static let refused = refused("the server refused", number: nil)
    /// The server rejected user name and password.
    public static let rejected = rejected("the server rejected user name and password")
    /// The server wants fewer attempts; ``retryAfter`` may say how long to wait.
    public static let tooManyAttempts = tooManyAttempts("too many attempts")
    /// The login expired, and there is no password to renew it with: log in again.
    public static let credentialsNeeded = credentialsNeeded(
        "the login has expired and its password is not saved: log in again"
    )
    /// The login expired, was renewed, and the server still says that it is expired.
    public static let sessionExpired = sessionExpired(
        "the server still says that the login has expired, after it was renewed"
    )
    /// The server's time text is not of the form that the profile declares.
    public static let malformedTime = malformedTime("the server's time text is not of the declared form")
    /// The server's time is too far from this computer's.
    public static let timeRefused = timeRefused("the server's time is too far from this computer's")
    /// The server's clock has another offset from UTC than at the first login.
    public static let timeOffsetChanged = Self(
        .timeOffsetChanged,
        "the server's clock has changed its offset"
    )
    /// A login profile cannot be used.
    public static let invalidProfile = invalidProfile("the login profile is not valid")
    /// The keychain failed; ``keychainError`` says how.
    public static let keychain = Self(.keychain, "the keychain failed")
    /// The session's file cannot be read or written.
    public static let storage = storage("the session's file cannot be read or written")
    /// A file that connection settings name cannot be read.
    public static let unreadableFile = unreadableFile("a file of the connection settings cannot be read")
    /// A file of certificates or with a private key is empty or malformed, or has something in it that it must not have.
    public static let invalidCertificateFile = invalidCertificateFile("a file of certificates cannot be used")
    /// A file with a private key can be read by others.
    public static let insecureKeyFile = insecureKeyFile("a private key can be read by others")
    /// libcurl is not there, or is one that cannot be used. The description says what to install.
    public static let missingLibrary = missingLibrary("cannot load libcurl")
    /// A proxy refused to carry the request; ``status`` may have what it answered with: 407 if it demands a password.
    public static let proxyRefused = proxyRefused("the proxy refused to carry the request")
    /// There is not enough memory.
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
    static func refused(_ text: String, number: Int?, status: Int? = nil) -> Self {
        .init(.refused, text, number: number, status: status)
    }
    static func rejected(_ text: String, number: Int? = nil, status: Int? = nil) -> Self {
        .init(.rejected, text, number: number, status: status)
    }
    static func tooManyAttempts(_ text: String, retryAfter: Int? = nil, status: Int? = nil) -> Self {
        .init(.tooManyAttempts, text, status: status, retryAfter: retryAfter)
    }
    static func credentialsNeeded(_ text: String) -> Self { .init(.credentialsNeeded, text) }
    static func sessionExpired(_ text: String) -> Self { .init(.sessionExpired, text) }
    static func malformedTime(_ text: String) -> Self { .init(.malformedTime, text) }
    static func timeRefused(_ text: String) -> Self { .init(.timeRefused, text) }
    static func timeOffsetChanged(_ text: String, to offset: Int) -> Self {
        .init(.timeOffsetChanged, text, timeOffset: offset)
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

    /// Whether two errors have the same code, whatever their texts.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Lets `catch .rejected` compare codes.
    public static func ~= (pattern: Self, error: Self) -> Bool { pattern == error }
}
