// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitKeychain

extension CommandFailure {
    /// Creates the failure that reports a keychain error.
    public init(reporting error: KeychainError) {
        self.init(Self.status(of: error), ShellQuoting.escapingUnprintable(error.description))
    }

    private static func status(of error: KeychainError) -> Status {
        switch error {
        case .notFound: .no
        case .damaged, .rollbackDetected, .vaultReplaced, .vaultMissing, .invalid, .overLimit, .unsupported,
            .ambiguous:
            .malformed
        case .noBus, .noService, .noDefaultCollection, .timedOut, .failed: .unavailable
        case .alreadyExists: .cannotCreate
        case .busy, .outOfMemory: .tryAgain
        case .locked, .denied, .dismissed, .noPassphrase, .wrongPassphrase, .insecureFile: .refused
        default: .inputOutput
        }
    }
}
