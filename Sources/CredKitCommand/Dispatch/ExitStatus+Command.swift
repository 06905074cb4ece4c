// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitServer
import CredKitTerminal

/// The status for each error that only `credkit` meets; those of the core and the keychain stand in
/// `ExitStatus.swift` of CredKitTerminal.
extension ExitStatus {
    /// The status for an error of the login client.
    init(_ error: ClientError) {
        if let error = error.keychainError {
            self.init(error)
            return
        }
        self =
            switch error.code {
            case .invalidURL, .invalidRequest: .usage
            case .malformedResponse, .malformedChallenge, .overLimit, .tooManyRedirects, .invalidProfile,
                .invalidCertificateFile, .tooManyPages, .repeatedPage:
                .malformed
            case .noConnection, .noResponse, .timedOut, .serverError, .missingLibrary, .browserUnavailable:
                .unavailable
            case .unexpectedStatus: (error.statusCode ?? 0) >= 500 ? .unavailable : .malformed
            case .notCached: .no
            case .tooManyAttempts, .outOfMemory, .cancelled, .loginAbandoned: .tryAgain
            case .invalidCredentials, .oneTimeCodeRequired, .oneTimeCodeRejected, .reauthenticationRequired,
                .sessionExpired, .clockSkew, .serverUTCOffsetChanged, .insecureConnection, .untrustedServer,
                .serverNotAuthenticated, .channelBindingFailed, .connectionChanged, .iterationsRefused,
                .mechanismDowngrade, .redirectRefused, .pageLinkRefused, .insecureFile, .insecureKeyFile,
                .proxyRefused:
                .refused
            default: .inputOutput
            }
    }

    /// The status for an error of the database of `upgrade`.
    init(_ error: SharedStateError) {
        self =
            switch error.code {
            case .disconnected, .loading, .overloaded, .readOnly, .missingLibrary: .unavailable
            case .timedOut, .busy: .tryAgain
            case .loginFailed, .notPermitted, .untrustedServer: .refused
            case .outOfSpace: .inputOutput
            default: .malformed
            }
    }
}
