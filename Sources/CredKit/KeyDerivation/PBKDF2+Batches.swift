// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PBKDF2 {
    /// A password and its salt.
    package struct Input: Sendable {
        /// The password.
        package let secret: SecretBytes
        /// The salt.
        package let salt: [UInt8]

        /// Creates an input.
        ///
        /// - Parameters:
        ///   - secret: The password.
        ///   - salt: The salt.
        package init(secret: SecretBytes, salt: [UInt8]) {
            self.secret = secret
            self.salt = salt
        }
    }

    /// The number of keys that are best derived by one call; 1 if OpenSSL computes each of them.
    package static func keysAtOnce(_ function: Function) -> Int {
        PBKDF2Kernels(function) == nil ? 1 : PBKDF2Kernels.maximumKeyCount
    }

    /// Derives keys with one number of iterations: up to four times as fast as one by one, if there are many. The keys are the
    /// same.
    ///
    /// - Parameters:
    ///   - inputs: The passwords, any number of them.
    ///   - function: The hash function.
    ///   - iterations: The number of iterations, at least 1.
    ///   - count: The size of each key in bytes, at least 1; `nil` for that of a digest.
    ///   - interruption: Ends the computation, within 5 ms, or before the next key if OpenSSL computes.
    /// - Returns: The keys, in the order of the inputs.
    /// - Throws: ``KeyDerivationError``.
    package static func deriveKeys(
        for inputs: [Input],
        function: Function = .sha256,
        iterations: Int,
        count: Int? = nil,
        interruption: Interruption = .never
    ) throws(KeyDerivationError) -> [SecretBytes] {
        let number = try checked(iterations)
        let count = count ?? function.digestByteCount
        var keys: [SecretBytes] = []
        keys.reserveCapacity(inputs.count)
        guard let kernels = PBKDF2Kernels(function) else {
            for input in inputs {
                guard !interruption.isRaised else { throw .cancelled }
                keys.append(
                    try deriveKey(
                        from: input.secret,
                        salt: input.salt,
                        function: function,
                        iterations: iterations,
                        count: count
                    )
                )
            }
            return keys
        }
        var rest = inputs[...]
        while !rest.isEmpty {
            guard !interruption.isRaised else { throw .cancelled }
            let batch = rest.prefix(PBKDF2Kernels.maximumKeyCount)
            rest = rest.dropFirst(batch.count)
            keys += try kernels.deriveKeys(for: batch, iterations: number, count: count, interruption)
        }
        return keys
    }
}
