// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM.Verifier {
    /// The number of verifiers of a hash function that are best created by one call.
    package static func countAtOnce(_ hashFunction: SCRAM.HashFunction) -> Int {
        hashFunction == .sha256 ? PBKDF2.keysAtOnce : 1
    }

    /// Creates verifiers of many password-equivalents, without knowing the passwords.
    ///
    /// The verifiers are those of ``init(passwordEquivalent:hashFunction:iterations:salt:)`` with random salts. With SHA-256,
    /// sixteen take as long as three that are created one by one, on a processor with AVX-512 or the SHA instructions, in one
    /// thread. Divide a table into parts of a multiple of sixteen for more threads, or for stopping in between.
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
        guard hashFunction == .sha256 else {
            return try passwordEquivalents.map { (equivalent) throws(SCRAM.Error) in
                try Self(passwordEquivalent: equivalent, hashFunction: hashFunction, iterations: iterations)
            }
        }
        let inputs = try passwordEquivalents.map { (equivalent) throws(SCRAM.Error) in
            PBKDF2.Input(secret: try digits(of: equivalent), salt: SecureRandom.bytes(count: 16))
        }
        let keys: [SecretBytes]
        do throws(KeyDerivationError) {
            keys = try PBKDF2.deriveKeys(for: inputs, iterations: iterations.count)
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
