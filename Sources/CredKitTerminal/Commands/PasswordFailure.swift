// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension CommandFailure {
    /// Creates the failure that reports an error with a password or a hash.
    public init(reporting error: PasswordError) {
        let status: Status =
            switch error {
            case .outOfMemory, .busy, .changedBlocklist: .tryAgain
            case .unreadableBlocklist: .inputOutput
            case .unwritableFilter: .cannotCreate
            default: .malformed
            }
        self.init(status, "\(error)")
    }
}
