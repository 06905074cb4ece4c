// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A user and password for a proxy. They are sent to the proxy only.
public struct ProxyCredentials: Sendable, Hashable {
    /// The user.
    public let username: String

    /// The password.
    public let password: SecretBytes

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - username: The user.
    ///   - password: The password.
    public init(username: String, password: SecretBytes) {
        self.username = username
        self.password = password
    }

    /// Whether user and password are equal. Passwords are compared in constant time.
    public static func == (left: Self, right: Self) -> Bool {
        left.username.utf8.elementsEqual(right.username.utf8) && left.password == right.password
    }

    /// Hashes the user only, not the password.
    public func hash(into hasher: inout Hasher) {
        for byte in username.utf8 { hasher.combine(byte) }
    }

    /// Rejects credentials that the proxy's protocol cannot transmit.
    func check(for scheme: Proxy.Scheme) throws(ClientError) {
        let hasControls =
            username.utf8.contains { $0 < 0x20 || $0 == 0x7F }
            || password.withSecretBytes { bytes in
                bytes.indices.contains { bytes[$0] < 0x20 || bytes[$0] == 0x7F }
            }
        guard !hasControls else {
            throw .invalidRequest(
                "invalid proxy credentials: user and password must not contain control characters"
            )
        }
        switch scheme {
        case .http, .https:
            guard !username.utf8.contains(UInt8(ascii: ":")) else {
                throw .invalidRequest("invalid proxy credentials: the user must not contain ':'")
            }
        case .socks5:
            guard (1...255).contains(username.utf8.count), password.count <= 255 else {
                throw .invalidRequest(
                    "invalid SOCKS proxy credentials: the user must have 1 to 255 bytes, the password at most 255"
                )
            }
        }
    }
}
