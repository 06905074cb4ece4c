// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// Which kind of authenticator the browser should suggest first.
    public enum Hint: String, Sendable, Hashable, CaseIterable {
        /// A security key.
        case securityKey = "security-key"
        /// The device itself.
        case clientDevice = "client-device"
        /// A phone.
        case hybrid
    }
}
