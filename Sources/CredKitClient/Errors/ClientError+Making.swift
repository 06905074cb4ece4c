// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKitKeychain
internal import HTTPTypes

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
    static func sessionExpired(_ message: String) -> Self { Self(.sessionExpired, message: message) }
    static func malformedChallenge(_ message: String) -> Self { Self(.malformedChallenge, message: message) }
    static func clockSkew(_ message: String) -> Self { Self(.clockSkew, message: message) }
    static func invalidProfile(_ message: String) -> Self { Self(.invalidProfile, message: message) }
    static func storage(_ message: String) -> Self { Self(.storage, message: message) }
    static func insecureFile(_ message: String) -> Self { Self(.insecureFile, message: message) }
    static func localFile(_ message: String) -> Self { Self(.localFile, message: message) }
    static func localFile(_ error: SystemError) -> Self {
        switch error.kind {
        case .insecureFile: .insecureFile(error.description)
        case .outOfMemory: .outOfMemory
        default: .localFile(error.description)
        }
    }
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
    static func unexpectedStatus(_ status: Int, _ message: String, retryAfter: Duration? = nil) -> Self {
        Self(.unexpectedStatus, message: message, statusCode: status, retryAfter: retryAfter)
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
    static func keychain(_ error: KeychainError) -> Self {
        if error == .cancelled { return .cancelled }
        return Self(.keychain, message: error.description, underlying: error)
    }
}

/// Foreign errors.
extension ClientError {
    /// Returns the error of CredKit for any error that a transport or code of the program has thrown: a `ClientError` is
    /// returned unchanged, a `CancellationError` becomes ``cancelled``, and all others become the ``underlying`` error
    /// of one with the given code.
    ///
    /// The message contains only the type of a foreign error, because its text may contain secrets.
    package static func wrapping(_ error: any Error, as code: Code) -> Self {
        switch error {
        case let error as ClientError: return error
        case is CancellationError: return .cancelled
        default:
            let subject =
                switch code {
                case .requestBody: requestBody.message
                case .interceptor: interceptor.message
                case .responseHandler: responseHandler.message
                default: transport.message
                }
            return Self(code, message: "\(subject) (\(type(of: error)))", underlying: error)
        }
    }
}

extension HTTPResponse {
    /// How long to wait before a retry: the value of `Retry-After`, if it is a number of seconds.
    var retryAfter: Duration? {
        headerFields[.retryAfter].flatMap { UInt32($0) }.map { .seconds(Int64($0)) }
    }
}
