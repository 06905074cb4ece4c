// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

extension CommandFailure {
    /// The failure of the command for an error of the database.
    init(_ error: SharedStateError) {
        if error.sqlState == "22001" {
            self.init(
                .malformed,
                "the column of the hashes is too short for the new hashes, which have up to 512 characters; change its type "
                    + "to text (\(error))"
            )
            return
        }
        let status: Status =
            switch error.code {
            case .disconnected, .loading, .overloaded, .readOnly, .missingLibrary: .unavailable
            case .timedOut, .busy: .tryAgain
            case .loginFailed, .notPermitted, .untrustedServer: .refused
            case .outOfSpace: .inputOutput
            default: .malformed
            }
        self.init(status, "\(error)")
    }
}
