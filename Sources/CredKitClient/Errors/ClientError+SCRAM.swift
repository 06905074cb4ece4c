// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Errors of a login by SCRAM.
extension ClientError {
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
    /// The profile would go back from SCRAM to a weaker mechanism; see ``Code/mechanismDowngrade``.
    public static let mechanismDowngrade = Self(
        .mechanismDowngrade,
        message: "refusing to go back from SCRAM to a weaker login mechanism"
    )
}

extension ClientError {
    static func serverNotAuthenticated(_ message: String, status: Int? = nil) -> Self {
        Self(.serverNotAuthenticated, message: message, statusCode: status)
    }
    static func channelBindingFailed(_ message: String) -> Self {
        Self(.channelBindingFailed, message: "channel binding failed: \(message)")
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
}
