// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// What a client computes of a password for one salt and number of iterations. It stays valid as long as the server's
    /// verifier does: keep it to log in again without PBKDF2.
    ///
    /// > Warning: It logs in as the password does. It is in guarded memory; never store it.
    public struct ClientKeys: Sendable {
        /// The hash function.
        public let hashFunction: HashFunction

        /// The salt.
        public let salt: [UInt8]

        /// The number of iterations.
        public let iterations: Int

        let clientKey: SecretBytes
        let serverKey: SecretBytes

        /// Computes the keys for a challenge: 0.04 to 0.2 s for 600,000 iterations, without a suspension point. Do not call it
        /// on Swift's cooperative pool.
        ///
        /// - Parameters:
        ///   - password: The password; for a verifier that was made of a password-equivalent, its 32 hexadecimal digits.
        ///   - challenge: The challenge of the server.
        ///   - preparation: The preparation of the password with which the verifier was made.
        /// - Throws: ``SCRAM/Error/textNotAllowed``, ``SCRAM/Error/overLimit``, ``SCRAM/Error/outOfMemory``.
        public init(
            password: some SecretInput,
            for challenge: Challenge,
            preparation: Preparation = .rfc4013
        ) throws(SCRAM.Error) {
            let salted = try SaltedPassword(
                password,
                preparation,
                challenge.hashFunction,
                salt: challenge.salt,
                iterations: challenge.iterations
            )
            hashFunction = challenge.hashFunction
            salt = challenge.salt
            iterations = challenge.iterations
            clientKey = try salted.clientKey
            serverKey = try salted.serverKey
        }

        /// Returns whether the keys are for the salt and the number of iterations of a challenge.
        ///
        /// - Parameter challenge: The challenge.
        /// - Returns: Whether they can be used for it.
        public func areUsable(for challenge: Challenge) -> Bool {
            hashFunction == challenge.hashFunction && iterations == challenge.iterations
                && salt == challenge.salt
        }
    }
}

extension SCRAM.ClientKeys: CustomStringConvertible, CustomReflectable {
    /// `‹redacted›`, never the keys.
    public var description: String { "‹redacted›" }

    /// A mirror without children: dumping keys reveals nothing of them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
