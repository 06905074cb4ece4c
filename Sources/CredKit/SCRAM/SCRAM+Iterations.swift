// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The number of iterations of a new verifier: the cost of each guess for a thief of the table, and of each login for the
    /// client. The server's cost does not depend on it.
    public struct Iterations: Sendable, Hashable {
        /// The number.
        public let count: Int

        /// 600,000, as OWASP recommends for PBKDF2-HMAC-SHA256: 0.2 s at the client.
        public static let recommended = Self(count: 600_000)

        /// The smallest number that a client accepts (RFC 7677, section 4).
        public static let minimumCount = 4096

        /// Fewer iterations than recommended, for clients that refuse so many. An attacker guesses as many times faster.
        ///
        /// - Parameter count: The number, from 4,096 to 600,000.
        /// - Returns: The number of iterations.
        /// - Throws: ``SCRAM/Error/overLimit``.
        public static func fewer(_ count: Int) throws(SCRAM.Error) -> Self {
            guard minimumCount...recommended.count ~= count else {
                throw .overLimit("the number of iterations must be from 4,096 to 600,000")
            }
            return Self(count: count)
        }

        private init(count: Int) { self.count = count }
    }
}
