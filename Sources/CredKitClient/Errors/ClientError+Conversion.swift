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

extension HTTPResponse {
    /// How long to wait before a retry: the value of `Retry-After`, if it is a number of seconds.
    var retryAfter: Duration? {
        headerFields[.retryAfter].flatMap { UInt32($0) }.map { .seconds(Int64($0)) }
    }
}
