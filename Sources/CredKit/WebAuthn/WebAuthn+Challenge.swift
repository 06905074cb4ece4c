// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// The random bytes that a response must be for, and until when. A server accepts a response to each only once.
    public struct Challenge: Sendable, Hashable {
        private static let byteCounts = 16...1_024

        /// The bytes.
        public let bytes: [UInt8]

        /// When a response is no longer accepted.
        public let expiry: UnixTime

        /// Creates a challenge from its bytes.
        ///
        /// - Parameters:
        ///   - bytes: 16 to 1,024 unpredictable bytes.
        ///   - expiry: When a response is no longer accepted. Users need up to five minutes.
        /// - Throws: ``Error``, with the code `invalidArgument`, if there are more or fewer bytes.
        public init(bytes: [UInt8], expiry: UnixTime) throws(Error) {
            guard Self.byteCounts.contains(bytes.count) else {
                throw .invalidArgument("a challenge has 16 to 1,024 bytes, not \(bytes.count)")
            }
            self.init(checked: bytes, expiry: expiry)
        }

        /// Returns a challenge of 32 random bytes.
        ///
        /// - Parameter expiry: When a response is no longer accepted. Users need up to five minutes.
        /// - Returns: The challenge.
        public static func random(expiry: UnixTime) -> Challenge {
            Challenge(checked: SecureRandom.bytes(count: 32), expiry: expiry)
        }

        private init(checked bytes: [UInt8], expiry: UnixTime) {
            self.bytes = bytes
            self.expiry = expiry
        }

        /// The bytes as JSON has them.
        var text: String { Base64.urlSafe.unpadded.encode(bytes) }

        /// The time that is left, in milliseconds, at least 1.
        func timeout(at time: UnixTime) -> Int64 {
            let seconds = (expiry - time).components.seconds
            return 1_000 * min(max(seconds, 0), 86_400) + (seconds > 0 ? 0 : 1)
        }
    }
}
