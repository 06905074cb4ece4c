// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal

extension CommandFailure {
    /// Creates the failure that reports an error of the login client.
    init(reporting error: ClientError) {
        if let error = error.keychainError {
            self.init(reporting: error)
        } else {
            self.init(
                Self.status(of: error),
                ShellQuoting.escapingUnprintable(error.description + Self.advice(on: error))
            )
        }
    }

    private static func status(of error: ClientError) -> Status {
        switch error.code {
        case .invalidURL, .invalidRequest: .usage
        case .malformedResponse, .malformedChallenge, .overLimit, .tooManyRedirects, .invalidProfile,
            .invalidCertificateFile, .tooManyPages, .repeatedPage:
            .malformed
        case .noConnection, .noResponse, .timedOut, .serverError, .missingLibrary: .unavailable
        case .unexpectedStatus: (error.statusCode ?? 0) >= 500 ? .unavailable : .malformed
        case .notCached: .no
        case .tooManyAttempts, .outOfMemory, .cancelled: .tryAgain
        case .invalidCredentials, .oneTimeCodeRequired, .oneTimeCodeRejected, .reauthenticationRequired,
            .sessionExpired, .clockSkew,
            .serverUTCOffsetChanged,
            .insecureConnection, .untrustedServer, .serverNotAuthenticated, .channelBindingFailed,
            .connectionChanged, .iterationsRefused, .mechanismDowngrade, .redirectRefused, .pageLinkRefused,
            .insecureFile,
            .insecureKeyFile,
            .proxyRefused:
            .refused
        default: .inputOutput
        }
    }

    /// Returns advice on what to do at the shell.
    private static func advice(on error: ClientError) -> String {
        switch error.code {
        case .insecureConnection: return " (--allow-insecure-http overrides this)"
        case .mechanismDowngrade: return " (--allow-mechanism-downgrade overrides this)"
        case .untrustedServer:
            return
                " (--cacert names a file of certificates to trust; none is accepted unchecked, as curl's -k does, since anyone "
                + "on the way could then read what is sent)"
        case .oneTimeCodeRequired: return " (credkit login … --otp SERVICE, or at a terminal)"
        case .serverUTCOffsetChanged:
            guard let offset = error.serverUTCOffset else { return "" }
            return
                " (to accept it: credkit login … --accept-time-offset \(TimeOffsetArgument(offset)))"
        default: return ""
        }
    }
}
