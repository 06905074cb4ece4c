// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// A mechanism by its name in SASL and HTTP.
    public struct Mechanism: Sendable, Hashable, CustomStringConvertible {
        /// The hash function: SHA-256 or SHA-512.
        public let hashFunction: HashFunction

        /// Whether the login is bound to its TLS connection.
        public let hasChannelBinding: Bool

        /// `SCRAM-SHA-256`
        public static let sha256 = Self(.sha256, hasChannelBinding: false)
        /// `SCRAM-SHA-256-PLUS`
        public static let sha256Plus = Self(.sha256, hasChannelBinding: true)
        /// `SCRAM-SHA-512`
        public static let sha512 = Self(.sha512, hasChannelBinding: false)
        /// `SCRAM-SHA-512-PLUS`
        public static let sha512Plus = Self(.sha512, hasChannelBinding: true)

        private static let all = [sha256, sha256Plus, sha512, sha512Plus]

        init(_ hashFunction: HashFunction, hasChannelBinding: Bool) {
            self.hashFunction = hashFunction
            self.hasChannelBinding = hasChannelBinding
        }

        /// Finds a mechanism; `nil` if there is none of this name, such as for SCRAM-SHA-1, which no login uses.
        ///
        /// - Parameter name: The name, such as `SCRAM-SHA-256`, in either case.
        public init?(name: some StringProtocol) {
            let uppercase = name.utf8.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 ^ 0x20 : $0 }
            guard let mechanism = Self.all.first(where: { $0.description.utf8.elementsEqual(uppercase) })
            else { return nil }
            self = mechanism
        }

        /// The same mechanism with or without channel binding.
        ///
        /// - Parameter hasChannelBinding: Whether the login is bound to its TLS connection.
        /// - Returns: The mechanism.
        public func with(channelBinding hasChannelBinding: Bool) -> Self {
            Self(hashFunction, hasChannelBinding: hasChannelBinding)
        }

        /// The name, such as `SCRAM-SHA-256-PLUS`.
        public var description: String { "SCRAM-\(hashFunction.rawValue)\(hasChannelBinding ? "-PLUS" : "")" }
    }
}
