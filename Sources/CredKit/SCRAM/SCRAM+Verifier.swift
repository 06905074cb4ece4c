// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// What a server stores of a password, in place of it.
    ///
    /// ```swift
    /// let verifier = try SCRAM.Verifier(password: "correct horse")
    /// print(verifier.text())                    // SCRAM-SHA-256$600000:salt$StoredKey:ServerKey
    /// ```
    ///
    /// It does not log in by itself, but a thief of it guesses passwords as with PBKDF2; and one who has also observed a login
    /// can log in as the user. Never use one verifier in two systems: each of them could log in to the other.
    public struct Verifier: Sendable, Hashable {
        /// The hash function.
        public let hashFunction: HashFunction

        /// The number of iterations of PBKDF2.
        public let iterations: Int

        /// The salt, 1 to 1,024 bytes.
        public let salt: [UInt8]

        /// The key that a client's proof is checked with, ``HashFunction/digestByteCount`` bytes.
        public let storedKey: [UInt8]

        /// The key that the server proves itself with, ``HashFunction/digestByteCount`` bytes.
        public let serverKey: [UInt8]

        /// How the password was prepared; `nil` if that is unknown, because the text of a verifier does not say it.
        public let preparation: Preparation?

        /// Creates the verifier of a password. This takes 0.04 to 0.2 s with the recommended number of iterations.
        ///
        /// - Parameters:
        ///   - password: The password.
        ///   - hashFunction: The hash function; SHA-1 is refused.
        ///   - iterations: The number of iterations.
        ///   - salt: The salt, 16 to 1,024 bytes; `nil` for 16 random bytes.
        ///   - preparation: The preparation of the password, which clients must use too.
        /// - Throws: ``SCRAM/Error/textNotAllowed``, ``SCRAM/Error/overLimit``, ``SCRAM/Error/unsupported`` for SHA-1,
        ///   ``SCRAM/Error/outOfMemory``.
        public init(
            password: some SecretInput,
            hashFunction: HashFunction = .sha256,
            iterations: Iterations = .recommended,
            salt: [UInt8]? = nil,
            preparation: Preparation = .rfc4013
        ) throws(SCRAM.Error) {
            guard hashFunction != .sha1 else { throw .unsupported("new verifiers do not use SHA-1") }
            let salt = salt ?? SecureRandom.bytes(count: 16)
            guard 16...1024 ~= salt.count else { throw .overLimit("the salt must have 16 to 1,024 bytes") }
            let salted = try SaltedPassword(
                password,
                preparation,
                hashFunction,
                salt: salt,
                iterations: iterations.count
            )
            try self.init(salted, iterations: iterations.count, salt: salt, preparation: preparation)
        }

        init(
            _ salted: SaltedPassword,
            iterations: Int,
            salt: [UInt8],
            preparation: Preparation?
        ) throws(SCRAM.Error) {
            let hashFunction = salted.hashFunction
            self.init(
                hashFunction: hashFunction,
                iterations: iterations,
                salt: salt,
                storedKey: try salted.clientKey.withSecretBytes { hashFunction.hash($0) },
                serverKey: try salted.serverKey.copiedBytes,
                preparation: preparation
            )
        }

        init(
            hashFunction: HashFunction,
            iterations: Int,
            salt: [UInt8],
            storedKey: [UInt8],
            serverKey: [UInt8],
            preparation: Preparation?
        ) {
            self.hashFunction = hashFunction
            self.iterations = iterations
            self.salt = salt
            self.storedKey = storedKey
            self.serverKey = serverKey
            self.preparation = preparation
        }

        /// Returns whether a password is the one of the verifier. The caller must have checked the number of iterations.
        ///
        /// - Parameters:
        ///   - password: The password.
        ///   - preparation: How to prepare it.
        /// - Returns: Whether it matches.
        /// - Throws: ``SCRAM/Error/textNotAllowed``, ``SCRAM/Error/overLimit``, ``SCRAM/Error/outOfMemory``.
        package func matches(
            _ password: some SecretInput,
            preparation: Preparation
        ) throws(SCRAM.Error) -> Bool {
            let salted = try SaltedPassword(
                password,
                preparation,
                hashFunction,
                salt: salt,
                iterations: iterations
            )
            return try salted.serverKey.withSecretBytes { ConstantTime.areEqual($0, serverKey.span) }
        }
    }
}

extension SCRAM.Verifier: CustomStringConvertible, CustomReflectable {
    /// `‹SCRAM-SHA-256 verifier›`, without its content.
    public var description: String { "‹SCRAM-\(hashFunction.rawValue) verifier›" }

    /// A mirror without children: dumping a verifier reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SCRAM.Verifier {
    /// The number of verifiers of a hash function that are best created by one call.
    package static func countAtOnce(_ hashFunction: SCRAM.HashFunction) -> Int {
        PBKDF2.keysAtOnce(hashFunction.derivation)
    }

    /// Creates verifiers of many password-equivalents, without knowing the passwords.
    ///
    /// The verifiers are those of ``init(passwordEquivalent:hashFunction:iterations:salt:)`` with random salts. Sixteen take as
    /// long as four to six that are created one by one, on a processor with AVX-512, in one thread. Divide a table into parts of
    /// a multiple of sixteen for more threads, or for stopping in between.
    ///
    /// - Parameters:
    ///   - passwordEquivalents: The stored password-equivalents.
    ///   - hashFunction: The hash function; SHA-1 is refused.
    ///   - iterations: The number of iterations.
    /// - Returns: The verifiers, in the order of the password-equivalents.
    /// - Throws: ``SCRAM/Error/unsupported`` for SHA-1, ``SCRAM/Error/outOfMemory``.
    public static func verifiers(
        ofPasswordEquivalents passwordEquivalents: [MessageDigest<16>],
        hashFunction: SCRAM.HashFunction = .sha256,
        iterations: SCRAM.Iterations = .recommended
    ) throws(SCRAM.Error) -> [Self] {
        guard hashFunction != .sha1 else { throw .unsupported("new verifiers do not use SHA-1") }
        let inputs = try passwordEquivalents.map { (equivalent) throws(SCRAM.Error) in
            PBKDF2.Input(secret: try digits(of: equivalent), salt: SecureRandom.bytes(count: 16))
        }
        let keys: [SecretBytes]
        do throws(KeyDerivationError) {
            keys = try PBKDF2.deriveKeys(
                for: inputs,
                function: hashFunction.derivation,
                iterations: iterations.count
            )
        } catch {
            throw SCRAM.Error(error)
        }
        var verifiers: [Self] = []
        for (input, key) in zip(inputs, keys) {
            // As for a single one: the default preparation.
            verifiers.append(
                try Self(
                    SCRAM.SaltedPassword(unsafe: key, hashFunction),
                    iterations: iterations.count,
                    salt: input.salt,
                    preparation: .rfc4013
                )
            )
        }
        return verifiers
    }

    /// Returns SCRAM's password for a password-equivalent.
    static func digits(of passwordEquivalent: MessageDigest<16>) throws(SCRAM.Error) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(hexOf: passwordEquivalent)
        } catch {
            throw .outOfMemory
        }
    }
}
