// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import CredKitSystem
internal import HTTPTypes

/// Errors of other areas and of other programs.
extension ClientError {
    /// The error for one of the keychain.
    static func keychain(_ error: KeychainError) -> Self {
        if error == .cancelled { return .cancelled }
        return Self(.keychain, message: error.description, underlying: error)
    }

    /// The error for a failed system call on a file of a transfer.
    static func localFile(_ error: SystemError) -> Self {
        switch error.kind {
        case .insecureFile: .insecureFile(error.description)
        case .outOfMemory: .outOfMemory
        default: .localFile(error.description)
        }
    }

    /// Converts an error of the core for the messages of a server.
    init(_ error: SCRAM.Error) {
        let code: Code =
            switch error.code {
            case .iterationsRefused: .iterationsRefused
            case .serverNotAuthenticated: .serverNotAuthenticated
            case .channelBindingFailed: .channelBindingFailed
            // Of this client: the user name or the password.
            case .textNotAllowed: .invalidRequest
            case .outOfMemory: .outOfMemory
            default: .malformedChallenge
            }
        self.init(code, message: "cannot log in by SCRAM: \(error.message)")
    }

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

extension ClientError {
    /// The error for a response with an unexpected status, and with what the server says about it.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - body: The body; `nil` if it is not known.
    /// - Returns: The error.
    static func unexpectedStatus(_ head: HTTPResponse, _ body: [UInt8]?) -> Self {
        let status = head.status.code
        return Self(
            .unexpectedStatus,
            message: "the server answered with status \(status)",
            statusCode: status,
            serverMessage: body.flatMap { ServerMessage.text(of: head, $0) },
            retryAfter: head.retryAfter
        )
    }
}

extension HTTPResponse {
    /// How long to wait before a retry: the value of `Retry-After`, a number of seconds or a date.
    var retryAfter: Duration? {
        guard let text = headerFields.first(.retryAfter) else { return nil }
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        let now = UnixTime.now
        guard let end = HTTPDate.parse(text, now: now) else { return nil }
        // By the server's own clock if it says what that is.
        let start = headerFields.first(.date).flatMap { HTTPDate.parse($0, now: now) } ?? now
        return .seconds(max(0, end.seconds - start.seconds))
    }
}
