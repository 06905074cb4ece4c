// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordError {
    /// Converts an error of SCRAM.
    init(_ error: SCRAM.Error) {
        let code: Code =
            switch error.code {
            case .malformedVerifier: .malformed
            case .unsupported: .unsupported
            case .overLimit: .overLimit
            case .textNotAllowed: .passwordNotAllowed
            case .outOfMemory: .outOfMemory
            default: .backendFailed
            }
        self.init(code, message: error.message, underlying: error)
    }
}
