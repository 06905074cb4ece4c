// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The result of PBKDF2 and the keys made of it (RFC 5802, section 3).
    struct SaltedPassword {
        let hashFunction: HashFunction
        let bytes: SecretBytes

        /// Derives it from a prepared password. The caller has checked the number of iterations.
        init(
            prepared password: Span<UInt8>,
            _ hashFunction: HashFunction,
            salt: [UInt8],
            iterations: Int,
            interruption: Interruption
        ) throws(KeyDerivationError) {
            self.hashFunction = hashFunction
            bytes = try PBKDF2.deriveKey(
                from: password,
                salt: salt,
                function: hashFunction.derivation,
                iterations: iterations,
                count: hashFunction.digestByteCount,
                interruption: interruption
            )
        }

        /// The same, without an interruption.
        init(
            prepared password: Span<UInt8>,
            _ hashFunction: HashFunction,
            salt: [UInt8],
            iterations: Int
        ) throws(SCRAM.Error) {
            do throws(KeyDerivationError) {
                try self.init(
                    prepared: password,
                    hashFunction,
                    salt: salt,
                    iterations: iterations,
                    interruption: .never
                )
            } catch {
                throw SCRAM.Error(error)
            }
        }

        /// Takes the result of PBKDF2 that another system has stored.
        init(unsafe bytes: SecretBytes, _ hashFunction: HashFunction) {
            self.bytes = bytes
            self.hashFunction = hashFunction
        }

        /// Prepares a password and derives it.
        init(
            _ password: some SecretInput,
            _ preparation: Preparation,
            _ hashFunction: HashFunction,
            salt: [UInt8],
            iterations: Int
        ) throws(SCRAM.Error) {
            self = try password.withSecretBytes { (password) throws(SCRAM.Error) in
                guard let prepared = try preparation.apply(to: password) else {
                    return try Self(prepared: password, hashFunction, salt: salt, iterations: iterations)
                }
                return try prepared.withSecretBytes { (prepared) throws(SCRAM.Error) in
                    try Self(prepared: prepared, hashFunction, salt: salt, iterations: iterations)
                }
            }
        }

        var clientKey: SecretBytes {
            get throws(SCRAM.Error) { try key("Client Key") }
        }

        var serverKey: SecretBytes {
            get throws(SCRAM.Error) { try key("Server Key") }
        }

        private func key(_ name: String) throws(SCRAM.Error) -> SecretBytes {
            try bytes.withSecretBytes { (bytes) throws(SCRAM.Error) in
                try hashFunction.secretCode(for: name, key: bytes)
            }
        }
    }
}
