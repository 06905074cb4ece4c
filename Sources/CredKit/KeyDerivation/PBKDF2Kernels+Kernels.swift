// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The kernels of PBKDF2 in the instruction set of this processor.
@safe
struct PBKDF2Kernels {
    /// The maximum number of keys of one computation.
    static let maximumKeyCount = Int(CREDKIT_PBKDF2_LANES)

    private let kernels: UnsafePointer<credkit_pbkdf2_kernels>

    /// Selects the kernels for a number of keys; `nil` if OpenSSL must compute, or is faster.
    init?(keyCount: Int) {
        guard let kernels = unsafe credkit_pbkdf2_choose(keyCount) else { return nil }
        unsafe self.kernels = kernels
    }

    /// The name for `CREDKIT_KERNELS`.
    var name: String { unsafe String(cString: kernels.pointee.name) }

    static var rejectedName: String? { unsafe credkit_pbkdf2_rejected().map { unsafe String(cString: $0) } }

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
