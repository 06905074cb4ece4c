// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordError {
    /// What the failure of a derivation is for a password.
    init(_ error: KeyDerivationError) {
        self =
            switch error {
            case .outOfMemory: .outOfMemory
            case .overLimit(let detail): .overLimit(detail)
            case .inputTooLong(let detail): .passwordTooLong(detail)
            case .failed(let detail): .backendFailed(detail)
            }
    }
}
