// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One error for each code, for `catch .timedOut` and for transports that have no more to say.
extension ClientError {
    /// The server cannot be reached; see ``Code/noConnection``. Its ``legacyCode`` is −10.
    public static let noConnection = Self(.noConnection, message: "cannot reach the server")
    /// The connection ended before the response was complete. Its ``legacyCode`` is −11.
    public static let noResponse = Self(
        .noResponse,
        message: "the server closed the connection before it sent a response"
    )
    /// A timeout expired. Its ``legacyCode`` is −11.
    public static let timedOut = Self(.timedOut, message: "timed out waiting for a response")
    /// The task was cancelled. A pending operation may or may not have been completed.
    public static let cancelled = Self(.cancelled, message: "cancelled")
    /// A text is not a valid http or https URL.
    public static let invalidURL = Self(.invalidURL, message: "invalid URL")
    /// The request would be sent unencrypted over a network.
    public static let insecureConnection = Self(
        .insecureConnection,
        message: "refusing to use an unencrypted connection"
    )
    /// The server's certificate is not trusted, or no TLS connection can be established.
    public static let untrustedServer = Self(
        .untrustedServer,
        message: "the server's certificate is not trusted"
    )
    /// The request is invalid; see ``Code/invalidRequest``.
    public static let invalidRequest = Self(.invalidRequest, message: "invalid request")
    /// The server redirects to a destination where the request must not be sent.
    public static let redirectRefused = Self(.redirectRefused, message: "refusing to follow the redirect")
    /// The server redirects too often.
    public static let tooManyRedirects = Self(.tooManyRedirects, message: "too many redirects")
    /// The response is larger than allowed.
    public static let overLimit = Self(.overLimit, message: "the response is too large")
    /// The response is malformed; see ``Code/malformedResponse``.
    public static let malformedResponse = Self(.malformedResponse, message: "malformed response")
    /// The server responded with a status that does not mean success; ``statusCode`` contains it.
    public static let unexpectedStatus = Self(
        .unexpectedStatus,
        message: "the server responded with an error status"
    )
    /// The code in the server's envelope means failure; ``serverCode`` contains it.
    public static let serverError = Self(.serverError, message: "the server refused the request")
    /// The server rejected the user name or the password.
    public static let invalidCredentials = Self(
        .invalidCredentials,
        message: "the server rejected the user name or password"
    )
    /// The server asks for a one-time code after the password, and there is none.
    public static let oneTimeCodeRequired = Self(
        .oneTimeCodeRequired,
        message: "the server requires a one-time code after the password"
    )
    /// The server rejected the one-time code; see ``Code/oneTimeCodeRejected``.
    public static let oneTimeCodeRejected = Self(
        .oneTimeCodeRejected,
        message: "the server rejected the one-time code: wait for the next one"
    )
    /// The server limits the rate of attempts; ``retryAfter`` may say how long to wait.
    public static let tooManyAttempts = Self(.tooManyAttempts, message: "too many attempts")
    /// The login has expired and no password is saved to renew it: log in again.
    public static let reauthenticationRequired = Self(
        .reauthenticationRequired,
        message: "the login has expired and its password is not saved: log in again"
    )
    /// There is no browser that can be opened, or none that could bring its answer back to this computer.
    public static let browserUnavailable = Self(
        .browserUnavailable,
        message: "cannot open a browser on this computer"
    )
    /// No answer to a login in the browser came in time, or too many wrong ones.
    public static let loginAbandoned = Self(
        .loginAbandoned,
        message: "the login in the browser was not completed"
    )
    /// The login expired and was renewed, but the server still reports it as expired.
    public static let sessionExpired = Self(
        .sessionExpired,
        message: "the server refuses the login although it was renewed: log in again"
    )
    /// The server's challenge does not have the format that the profile declares.
    public static let malformedChallenge = Self(
        .malformedChallenge,
        message: "malformed challenge: it does not have the declared format"
    )
    /// The server's time differs too much from this computer's time.
    public static let clockSkew = Self(
        .clockSkew,
        message: "the server's time differs too much from this computer's time"
    )
    /// The UTC offset of the server's clock has changed since the first login.
    public static let serverUTCOffsetChanged = Self(
        .serverUTCOffsetChanged,
        message: "the UTC offset of the server's clock has changed"
    )
    /// The login profile is invalid.
    public static let invalidProfile = Self(.invalidProfile, message: "invalid login profile")
    /// The keychain failed; ``keychainError`` contains the reason.
    public static let keychain = Self(.keychain, message: "the keychain failed")
    /// The session file cannot be read or written.
    public static let storage = Self(.storage, message: "cannot read or write the session file")
    /// Other users can change or replace the session file or its folder.
    public static let insecureFile = Self(.insecureFile, message: "other users can change the session file")
    /// A file that the connection settings name cannot be read.
    public static let unreadableFile = Self(
        .unreadableFile,
        message: "cannot read a file that the connection settings name"
    )
    /// A certificate or key file is invalid; see ``Code/invalidCertificateFile``.
    public static let invalidCertificateFile = Self(
        .invalidCertificateFile,
        message: "invalid certificate or key file"
    )
    /// Users other than the owner have access to a private key file.
    public static let insecureKeyFile = Self(
        .insecureKeyFile,
        message: "other users can access a private key file"
    )
    /// libcurl is missing or unusable. The description says what to install.
    public static let missingLibrary = Self(.missingLibrary, message: "cannot load libcurl")
    /// A proxy refused to forward the request; ``statusCode`` may contain its response status.
    public static let proxyRefused = Self(.proxyRefused, message: "the proxy refused to forward the request")
    /// A transport that is not part of CredKit failed; ``underlying`` contains its error.
    public static let transport = Self(.transport, message: "the transport failed")
    /// There is no stored response that may be used, and only one was wanted; see ``CachePolicy/onlyIfCached``.
    public static let notCached = Self(.notCached, message: "there is no stored response that may be used")
    /// The request was not sent, because one to the same endpoint is under way; see ``DuplicatePolicy/ignore``.
    public static let duplicateRequest = Self(
        .duplicateRequest,
        message: "ignored, because a request to the same endpoint is under way"
    )
    /// A list has more pages than ``PagedEndpoint/maximumPageCount``.
    public static let tooManyPages = Self(.tooManyPages, message: "the list has too many pages")
    /// The server sent a page of a list again instead of the next one.
    public static let repeatedPage = Self(
        .repeatedPage,
        message: "the server sent the same page again instead of the next one"
    )
    /// The link to the next page of a list leads to another server.
    public static let pageLinkRefused = Self(
        .pageLinkRefused,
        message: "refusing to follow the link to the next page: it leads to another server"
    )
    /// An interceptor that is not part of CredKit failed; ``underlying`` contains its error.
    public static let interceptor = Self(.interceptor, message: "an interceptor failed")
    /// The program's own stream of a request body failed; ``underlying`` contains its error.
    public static let requestBody = Self(.requestBody, message: "the stream of the request body failed")
    /// The program's own code for a streamed response failed; ``underlying`` contains its error.
    public static let responseHandler = Self(
        .responseHandler,
        message: "the program's own code for the response failed"
    )
    /// A file to download to, or a file to send, cannot be used; see ``Code/localFile``.
    public static let localFile = Self(.localFile, message: "cannot use a local file")
    /// Not enough memory is available.
    public static let outOfMemory = Self(.outOfMemory, message: "there is not enough memory")
    /// The server has not proved that it knows the password's verifier; see ``Code/serverNotAuthenticated``.
    public static let serverNotAuthenticated = Self(
        .serverNotAuthenticated,
        message: "the server has not proved that it knows the password's verifier"
    )
    /// The login cannot be bound to its TLS connection; see ``Code/channelBindingFailed``.
    public static let channelBindingFailed = Self(
        .channelBindingFailed,
        message: "the login cannot be bound to the TLS connection"
    )
    /// The TLS connection is not the one that a login is bound to. The request was not sent.
    public static let connectionChanged = Self(
        .connectionChanged,
        message: "the TLS connection is not the one that the login is bound to"
    )
    /// The server asks for fewer iterations than the profile accepts, or for more.
    public static let iterationsRefused = Self(
        .iterationsRefused,
        message: "the server asks for a number of iterations outside the accepted range"
    )
    /// The profile or the server would go back to a weaker mechanism; see ``Code/mechanismDowngrade``.
    public static let mechanismDowngrade = Self(
        .mechanismDowngrade,
        message: "refusing to go back to a weaker login mechanism"
    )
}

/// Errors with a message of their own.
extension ClientError {
    static func noConnection(_ message: String) -> Self { Self(.noConnection, message: message) }
    static func noResponse(_ message: String) -> Self { Self(.noResponse, message: message) }
    static func timedOut(_ message: String) -> Self { Self(.timedOut, message: message) }
    static func invalidURL(_ message: String) -> Self { Self(.invalidURL, message: message) }
    static func insecureConnection(_ message: String) -> Self { Self(.insecureConnection, message: message) }
    static func untrustedServer(_ message: String) -> Self { Self(.untrustedServer, message: message) }
    static func invalidRequest(_ message: String) -> Self { Self(.invalidRequest, message: message) }
    static func tooManyRedirects(_ message: String) -> Self { Self(.tooManyRedirects, message: message) }
    static func reauthenticationRequired(_ message: String) -> Self {
        Self(.reauthenticationRequired, message: message)
    }
    static func browserUnavailable(_ message: String) -> Self { Self(.browserUnavailable, message: message) }
    static func loginAbandoned(_ message: String) -> Self { Self(.loginAbandoned, message: message) }
    static func sessionExpired(_ message: String) -> Self { Self(.sessionExpired, message: message) }
    static func malformedChallenge(_ message: String) -> Self { Self(.malformedChallenge, message: message) }
    static func clockSkew(_ message: String) -> Self { Self(.clockSkew, message: message) }
    static func invalidProfile(_ message: String) -> Self { Self(.invalidProfile, message: message) }
    static func serverError(_ message: String) -> Self { Self(.serverError, message: message) }
    static func storage(_ message: String) -> Self { Self(.storage, message: message) }
    static func insecureFile(_ message: String) -> Self { Self(.insecureFile, message: message) }
    static func localFile(_ message: String) -> Self { Self(.localFile, message: message) }
    static func missingLibrary(_ message: String) -> Self { Self(.missingLibrary, message: message) }
    static func unreadableFile(_ message: String) -> Self { Self(.unreadableFile, message: message) }
    static func invalidCertificateFile(_ message: String) -> Self {
        Self(.invalidCertificateFile, message: message)
    }
    static func insecureKeyFile(_ message: String) -> Self { Self(.insecureKeyFile, message: message) }
    static func tooManyPages(_ message: String) -> Self { Self(.tooManyPages, message: message) }
    static func pageLinkRefused(_ message: String) -> Self { Self(.pageLinkRefused, message: message) }
    static func redirectRefused(_ message: String, status: Int? = nil) -> Self {
        Self(.redirectRefused, message: message, statusCode: status)
    }
    static func overLimit(_ message: String, status: Int? = nil) -> Self {
        Self(.overLimit, message: message, statusCode: status)
    }
    static func malformedResponse(_ message: String, status: Int? = nil) -> Self {
        Self(.malformedResponse, message: message, statusCode: status)
    }
    static func proxyRefused(_ message: String, status: Int? = nil) -> Self {
        Self(.proxyRefused, message: message, statusCode: status)
    }
    static func unexpectedStatus(_ status: Int, _ message: String, serverMessage: String? = nil) -> Self {
        Self(.unexpectedStatus, message: message, statusCode: status, serverMessage: serverMessage)
    }
    /// The same error, of a response with this status.
    func ofResponse(status: Int) -> Self { Self(code, message: message, statusCode: status) }

    /// The error for a failure code in an envelope.
    static func refusal(_ message: String, code: Int, status: Int) -> Self {
        Self(
            .serverError,
            message: "the server refused the request with code \(code)",
            statusCode: status,
            serverCode: code,
            serverMessage: message.isEmpty ? nil : message
        )
    }
    static func serverUTCOffsetChanged(_ message: String, to offset: Duration) -> Self {
        Self(.serverUTCOffsetChanged, message: message, serverUTCOffset: offset)
    }
    static func serverNotAuthenticated(_ message: String, status: Int? = nil) -> Self {
        Self(.serverNotAuthenticated, message: message, statusCode: status)
    }
    static func channelBindingFailed(_ message: String) -> Self {
        Self(.channelBindingFailed, message: "channel binding failed: \(message)")
    }
}
