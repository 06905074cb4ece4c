// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The kernels of PBKDF2 with a hash function, in the instruction sets of this processor.
@safe
struct PBKDF2Kernels {
    /// The maximum number of keys of one computation.
    static let maximumKeyCount = Int(CREDKIT_PBKDF2_LANES)

    private let kernels: UnsafePointer<credkit_pbkdf2_set>
    private let function: PBKDF2.Function

    /// Selects the kernels for a hash function; `nil` if OpenSSL must compute.
    init?(_ function: PBKDF2.Function) {
        guard let kernels = unsafe credkit_pbkdf2_choose(function.number) else { return nil }
        unsafe self.kernels = kernels
        self.function = function
    }

    static var rejectedName: String? { unsafe credkit_pbkdf2_rejected().map { unsafe String(cString: $0) } }

    /// Derives one key.
    func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        iterations: UInt32,
        count: Int,
        _ interruption: Interruption
    ) throws(KeyDerivationError) -> SecretBytes {
        if let seat = interruption.seat, count <= function.digestByteCount * Self.maximumKeyCount {
            return try deriveKey(
                from: password,
                salt: salt,
                iterations: iterations,
                count: count,
                interruption,
                in: seat
            )
        }
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { target in
            guard let key = target.baseAddress else { return .outOfMemory }
            let status = unsafe password.withUnsafeBytes { password in
                unsafe salt.withUnsafeBytes { salt in
                    unsafe credkit_pbkdf2_derive(
                        kernels,
                        [
                            credkit_pbkdf2_input(
                                password: password.baseAddress?.assumingMemoryBound(to: UInt8.self),
                                password_length: password.count,
                                salt: salt.baseAddress?.assumingMemoryBound(to: UInt8.self),
                                salt_length: salt.count
                            )
                        ],
                        1,
                        iterations,
                        key,
                        count,
                        interruption.flag
                    )
                }
            }
            return status == Int32(CREDKIT_PBKDF2_DONE) ? nil : KeyDerivationError.cancelled
        }
    }

    /// Derives one key whose blocks are lanes beside those of other computations.
    private func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        iterations: UInt32,
        count: Int,
        _ interruption: Interruption,
        in seat: SharedCore.Seat
    ) throws(KeyDerivationError) -> SecretBytes {
        let digestByteCount = function.digestByteCount
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { key in
            unsafe password.withUnsafeBytes { password in
                unsafe salt.withUnsafeBytes { salt in
                    var input = unsafe credkit_pbkdf2_input(
                        password: password.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        password_length: password.count,
                        salt: salt.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        salt_length: salt.count
                    )
                    return unsafe seat.compute(
                        .pbkdf2(kernels),
                        count: (count + digestByteCount - 1) / digestByteCount,
                        byteCount: MemoryLayout<credkit_pbkdf2_lane>.size,
                        interruption
                    ) { lane, index in
                        unsafe credkit_pbkdf2_prepare(
                            lane.assumingMemoryBound(to: credkit_pbkdf2_lane.self),
                            function.number,
                            &input,
                            UInt32(index + 1),
                            iterations
                        )
                    } finish: { lane, index in
                        unsafe withUnsafeTemporaryAllocation(
                            of: UInt8.self,
                            capacity: Int(CREDKIT_PBKDF2_DIGEST)
                        ) { digest in
                            guard let start = digest.baseAddress else { return }
                            let offset = index * digestByteCount
                            unsafe credkit_pbkdf2_finish(
                                lane.assumingMemoryBound(to: credkit_pbkdf2_lane.self),
                                start
                            )
                            for n in 0..<min(digestByteCount, count - offset) {
                                unsafe key[offset + n] = digest[n]
                            }
                            unsafe Wiping.wipe(digest)
                        }
                    }
                }
            }
        }
    }

    /// Derives a key for each of 1 to ``maximumKeyCount`` inputs.
    func deriveKeys(
        for inputs: ArraySlice<PBKDF2.Input>,
        iterations: UInt32,
        count: Int,
        _ interruption: Interruption
    ) throws(KeyDerivationError) -> [SecretBytes] {
        BackendCalls.note()
        // Joined, because there can be no closure for each of a variable number of secrets.
        let passwords: SecretBytes
        do throws(SecretMemoryError) {
            passwords = try SecretBytes(joining: inputs.map(\.secret))
        } catch {
            throw .outOfMemory
        }
        let salts = inputs.flatMap(\.salt)
        let keys = try unsafe SecretBytes.filled(
            count: inputs.count * count,
            outOfMemory: KeyDerivationError.outOfMemory
        ) { target in
            guard let keys = target.baseAddress else { return .outOfMemory }
            let status = passwords.withSecretBytes { passwords in
                unsafe passwords.withUnsafeBytes { passwords in
                    unsafe salts.withUnsafeBytes { salts in
                        unsafe credkit_pbkdf2_derive(
                            kernels,
                            Self.inputs(inputs, passwords, salts),
                            inputs.count,
                            iterations,
                            keys,
                            count,
                            interruption.flag
                        )
                    }
                }
            }
            return status == Int32(CREDKIT_PBKDF2_DONE) ? nil : KeyDerivationError.cancelled
        }
        do throws(SecretMemoryError) {
            return try keys.split(byteCount: count)
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the place of each password and salt in all of them.
    private static func inputs(
        _ inputs: ArraySlice<PBKDF2.Input>,
        _ passwords: UnsafeRawBufferPointer,
        _ salts: UnsafeRawBufferPointer
    ) -> [credkit_pbkdf2_input] {
        var password = unsafe passwords.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var salt = unsafe salts.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe inputs.map { input in
            defer {
                unsafe password = password.map { unsafe $0 + input.secret.count }
                unsafe salt = salt.map { unsafe $0 + input.salt.count }
            }
            return unsafe credkit_pbkdf2_input(
                password: password,
                password_length: input.secret.count,
                salt: salt,
                salt_length: input.salt.count
            )
        }
    }
}

extension PBKDF2.Function {
    /// The number for the kernels.
    var number: Int32 {
        switch self {
        case .sha1: Int32(CREDKIT_PBKDF2_SHA1)
        case .sha256: Int32(CREDKIT_PBKDF2_SHA256)
        case .sha512: Int32(CREDKIT_PBKDF2_SHA512)
        }
    }
}

extension SecretBytes {
    /// Creates a secret of the bytes of others, one after the other.
    fileprivate init(joining secrets: [SecretBytes]) throws(SecretMemoryError) {
        try self.init(capacity: secrets.reduce(0) { $0 + $1.count }) { output in
            for secret in secrets {
                secret.withSecretBytes { bytes in
                    for index in bytes.indices { output.append(bytes[index]) }
                }
            }
        }
    }

    /// Returns pieces of `byteCount` bytes each, of which the secret is a multiple.
    fileprivate func split(byteCount: Int) throws(SecretMemoryError) -> [SecretBytes] {
        try withSecretBytes { (bytes) throws(SecretMemoryError) in
            var pieces: [SecretBytes] = []
            for start in stride(from: 0, to: bytes.count, by: byteCount) {
                pieces.append(
                    try SecretBytes(capacity: byteCount) { output in
                        for index in start..<start + byteCount { output.append(bytes[index]) }
                    }
                )
            }
            return pieces
        }
    }
}
