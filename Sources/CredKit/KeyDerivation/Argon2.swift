// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Argon2 ([RFC 9106](https://www.rfc-editor.org/rfc/rfc9106)): derives keys from passwords.
package enum Argon2 {
    /// The way memory is addressed. Argon2id is recommended.
    package enum Variant: String, Sendable {
        case argon2id, argon2i, argon2d
    }

    /// The version of the algorithm. New hashes have the RFC's.
    package enum Version: UInt32, Sendable {
        /// The first version, in which later passes replace the memory instead of combining it.
        case v16 = 0x10
        case v19 = 0x13
    }

    /// The inputs besides the password and the salt, which must be within the bounds of RFC 9106.
    package struct Parameters: Sendable {
        package var variant: Variant
        package var version: Version
        package var memory: MemorySize
        package var passes: Int
        package var lanes: Int
        package var secret: [UInt8]
        package var associatedData: [UInt8]

        package init(
            variant: Variant = .argon2id,
            version: Version = .v19,
            memory: MemorySize,
            passes: Int,
            lanes: Int = 1,
            secret: [UInt8] = [],
            associatedData: [UInt8] = []
        ) {
            (self.variant, self.version) = (variant, version)
            (self.memory, self.passes, self.lanes) = (memory, passes, lanes)
            (self.secret, self.associatedData) = (secret, associatedData)
        }
    }

    /// How keys are computed, which does not change the result.
    struct Computation: Sendable {
        var implementation = Argon2Implementation.vectorized
        /// Whether memory of earlier computations is used again, and kept for later ones. The time of a computation then depends
        /// on the one before.
        var keepsMemory = true
        /// Whether its memory must not be swapped out. If the system does not allow this, or libsodium computes, there is no
        /// result.
        var locksMemory = false
        /// The most threads that compute lanes at once. libsodium ignores it, and so do hashes with less than
        /// ``leastMemoryOfThreads``.
        var threads = 1
        /// Ends the computation early. libsodium ignores it.
        var interruption = Interruption.never
    }

    /// The memory from which on several threads save time. Below it, measured gains vary too much: docs/benchmarks.md.
    static let leastMemoryOfThreads = MemorySize.mebibytes(32)

    /// The size in bytes of the salts of new hashes, which libsodium requires.
    package static let saltByteCount = 16

    /// Estimates the time of a computation in seconds, on one core of an AMD EPYC of the 2020s, accurate to a factor of
    /// three. It is that of libsodium, which computes where the kernels must not.
    package static func estimatedSeconds(memory: MemorySize, passes: Int, lanes: Int = 1) -> Double {
        // Each pass has four slices per lane, each with a cost of its own.
        let secondsPerPass = Double(memory.kibibytes) * 0.42e-6 + Double(lanes) * 16e-6
        return secondsPerPass * Double(passes)
    }

    /// Derives a key with Argon2id. The caller must have checked the costs.
    ///
    /// - Parameters:
    ///   - secret: The password.
    ///   - salt: The salt, ``saltByteCount`` bytes.
    ///   - memory: The memory, at least 8 KiB, in whole KiB.
    ///   - passes: The number of passes over the memory, at least 1.
    ///   - count: The size of the key in bytes, at least 16.
    ///   - interruption: Ends the computation early, unless libsodium computes.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError/outOfMemory``, ``KeyDerivationError/cancelled``.
    package static func deriveKey(
        from secret: SecretBytes,
        salt: [UInt8],
        memory: MemorySize,
        passes: Int,
        count: Int = 32,
        interruption: Interruption = .never
    ) throws(KeyDerivationError) -> SecretBytes {
        try secret.withSecretBytes { (secret) throws(KeyDerivationError) in
            try deriveKey(
                from: secret,
                salt: salt,
                Parameters(memory: memory, passes: passes),
                count: count,
                Computation(interruption: interruption)
            )
        }
    }

    /// Derives a key with the parameters of another program, in memory that is not kept. The caller must have checked the
    /// costs, and that the parameters are within the bounds of RFC 9106.
    ///
    /// - Parameters:
    ///   - secret: The password.
    ///   - salt: The salt, at least 8 bytes.
    ///   - parameters: All other inputs.
    ///   - count: The size of the key in bytes, at least 4.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError/outOfMemory``; ``KeyDerivationError/unsupported(_:)`` if libsodium must compute, but does
    ///   not have the parameters.
    package static func deriveKey(
        from secret: SecretBytes,
        salt: [UInt8],
        _ parameters: Parameters,
        count: Int = 32
    ) throws(KeyDerivationError) -> SecretBytes {
        try secret.withSecretBytes { (secret) throws(KeyDerivationError) in
            try deriveKey(
                from: secret,
                salt: salt,
                parameters,
                count: count,
                Computation(keepsMemory: false, threads: min(parameters.lanes, Processors.available))
            )
        }
    }

    /// Derives a key of at least 4 bytes. Throws ``KeyDerivationError/unsupported(_:)`` if libsodium must compute, but does
    /// not have the parameters.
    static func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        _ parameters: Parameters,
        count: Int,
        _ computation: Computation
    ) throws(KeyDerivationError) -> SecretBytes {
        BackendCalls.note()
        guard computation.implementation == .vectorized, let kernels = Argon2Kernels() else {
            guard !computation.locksMemory else { throw .unsupported("libsodium does not lock its memory") }
            return try deriveWithSodium(from: password, salt: salt, parameters, count: count)
        }
        return try kernels.deriveKey(
            from: password,
            salt: salt,
            parameters,
            count: count,
            computation
        )
    }
}
