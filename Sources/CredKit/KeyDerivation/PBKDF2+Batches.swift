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
    package static var keysAtOnce: Int {
        PBKDF2Kernels(keyCount: PBKDF2Kernels.maximumKeyCount) == nil ? 1 : PBKDF2Kernels.maximumKeyCount
    }

    /// Derives keys with SHA-256 and one number of iterations: six times as fast as one by one, if there are many. The
    /// keys are the same.
    ///
    /// Before the first use, the kernels for the instruction set of this processor must compute a known answer. If none do, or
    /// if the environment variable `CREDKIT_KERNELS` is `reference`, OpenSSL computes; it also computes batches that are too
    /// small for the kernels.
    ///
    /// - Parameters:
    ///   - inputs: The passwords, any number of them.
    ///   - iterations: The number of iterations, at least 1.
    ///   - count: The size of each key in bytes, at least 1.
    ///   - interruption: Ends the computation, within 5 ms if kernels compute, or before the next key.
    /// - Returns: The keys, in the order of the inputs.
    /// - Throws: ``KeyDerivationError``.
    package static func deriveKeys(
        for inputs: [Input],
        iterations: Int,
        count: Int = Function.sha256.digestByteCount,
        interruption: Interruption = .never
    ) throws(KeyDerivationError) -> [SecretBytes] {
        guard let number = UInt32(exactly: iterations), 1...UInt32(Int32.max) ~= number else {
            throw .overLimit("PBKDF2 takes 1 to 2³¹ - 1 iterations")
        }
        var keys: [SecretBytes] = []
        keys.reserveCapacity(inputs.count)
        var rest = inputs[...]
        while !rest.isEmpty {
            guard !interruption.isRaised else { throw .cancelled }
            let kernels = PBKDF2Kernels(keyCount: min(rest.count, PBKDF2Kernels.maximumKeyCount))
            let batch = rest.prefix(kernels == nil ? 1 : PBKDF2Kernels.maximumKeyCount)
            rest = rest.dropFirst(batch.count)
            if let kernels {
                keys += try kernels.deriveKeys(for: batch, iterations: number, count: count, interruption)
            } else {
                for input in batch {
                    keys.append(
                        try deriveKey(
                            from: input.secret,
                            salt: input.salt,
                            function: .sha256,
                            iterations: iterations,
                            count: count
                        )
                    )
                }
            }
        }
        return keys
    }
}
