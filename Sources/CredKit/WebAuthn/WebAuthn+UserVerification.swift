// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// Whether the authenticator has to verify the user, by a PIN or by biometrics.
    public enum UserVerification: String, Sendable, Hashable, CaseIterable {
        /// A response without it is refused: for a passkey that replaces a password.
        case required
        /// The authenticator does it if it can: for a passkey beside a password.
        case preferred
        /// The authenticator should not ask.
        case discouraged
    }
}
