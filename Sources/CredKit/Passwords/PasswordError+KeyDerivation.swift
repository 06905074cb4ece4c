// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordError {
    /// Converts the failure of a key derivation.
    init(_ error: KeyDerivationError) {
        self =
            switch error {
            case .outOfMemory: .outOfMemory
            case .overLimit(let detail): .overLimit(detail)
            case .inputTooLong(let detail): .passwordTooLong(detail)
            case .unsupported(let detail): .unsupported(detail)
            case .cancelled: .cancelled
            case .failed(let detail): .backendFailed(detail)
            }
    }
}
