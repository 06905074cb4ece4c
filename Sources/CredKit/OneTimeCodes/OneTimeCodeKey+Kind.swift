// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension OneTimeCodeKey {
    /// What codes are computed from.
    public enum Kind: Sendable, Hashable, CustomStringConvertible {
        /// A counter that grows by one with each code: HOTP.
        ///
        /// - Parameter next: The counter of the next code.
        case counter(next: UInt64)
        /// The number of periods since 1970: TOTP.
        ///
        /// - Parameter period: The time for which a code is current, from 1 to 3600 whole seconds; usually 30.
        case time(period: Duration)

        /// The name, and the period if there is one.
        public var description: String {
            switch self {
            case .counter: "HOTP"
            case .time(let period): "TOTP every \(period.components.seconds) s"
            }
        }
    }

    /// The hash function of HMAC. None of them is known to be weak here: HMAC does not need a function without collisions.
    public enum Algorithm: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// SHA-1, which every authenticator app supports.
        case sha1
        /// SHA-256.
        case sha256
        /// SHA-512.
        case sha512

        /// The name, such as `SHA-1`.
        public var description: String {
            switch self {
            case .sha1: "SHA-1"
            case .sha256: "SHA-256"
            case .sha512: "SHA-512"
            }
        }

        /// The size of a digest in bytes, which RFC 6238 recommends for the seed.
        public var digestByteCount: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// The name in a URI.
        package var uriName: String {
            switch self {
            case .sha1: "SHA1"
            case .sha256: "SHA256"
            case .sha512: "SHA512"
            }
        }
    }
}
