// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension LaneKernels {
    /// Computes bcrypt in a lane beside those of other computations.
    ///
    /// - Parameters:
    ///   - password: At most 72 bytes without a NUL.
    ///   - variant: `2a`, `2b`, `2x` or `2y`.
    ///   - salt: 22 characters of bcrypt's encoding.
    ///   - cost: The binary logarithm of the rounds, 4 to 31.
    ///   - interruption: Ends the computation.
    ///   - seat: Where it computes.
    /// - Returns: The digest in bcrypt's encoding.
    /// - Throws: ``PasswordError/cancelled``, ``PasswordError/outOfMemory``.
    func bcryptDigest(
        of password: Span<UInt8>,
        variant: String,
        salt: String,
        cost: Int,
        _ interruption: Interruption,
        in seat: SharedCore.Seat
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        guard let letter = variant.utf8.last else { throw .malformed("the variant is missing") }
        let salt = CryptAlphabet.bcrypt.decodeBigEndian(salt)
        guard salt.count == Int(CREDKIT_BCRYPT_SALT) else { throw .malformed("the salt must have 16 bytes") }
        let digest = try unsafe SecretBytes.derived(count: Int(CREDKIT_BCRYPT_DIGEST)) { digest in
            guard let target = digest.baseAddress else { return .outOfMemory }
            let failure = unsafe password.withUnsafeBytes { password in
                unsafe seat.compute(
                    self,
                    byteCount: MemoryLayout<credkit_bcrypt_lane>.size,
                    interruption
                ) { lane, _ in
                    unsafe credkit_bcrypt_prepare(
                        lane.assumingMemoryBound(to: credkit_bcrypt_lane.self),
                        letter,
                        password.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        password.count,
                        salt,
                        UInt32(cost)
                    )
                } finish: { lane, _ in
                    unsafe credkit_bcrypt_finish(
                        lane.assumingMemoryBound(to: credkit_bcrypt_lane.self),
                        target
                    )
                }
            }
            return failure.map { PasswordError($0) }
        }
        return try digest.withSecretBytes { (digest) throws(PasswordError) in
            try CryptAlphabet.bcrypt.encodeBigEndian(digest)
        }
    }
}
