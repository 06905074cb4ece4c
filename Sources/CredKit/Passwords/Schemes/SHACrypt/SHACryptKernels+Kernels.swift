// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The kernels of SHA-crypt in the instruction set of this processor.
@safe
struct SHACryptKernels {
    /// The longest password that they compute, in bytes: 63. Those of one length class take the same time, because either the
    /// kernels compute all of them or libxcrypt does; see ``VerificationCost/lengthClass``.
    static let longestPassword = Int(CREDKIT_SHACRYPT_PASSWORD)

    private let kernels: UnsafePointer<credkit_shacrypt_kernels>
    private let digestByteCount: Int

    /// Selects the kernels for a password; `nil` if libxcrypt must compute.
    init?(_ variant: SHACryptHash.Variant, passwordByteCount: Int) {
        guard passwordByteCount <= Self.longestPassword,
            let kernels = unsafe credkit_shacrypt_choose(variant.number)
        else { return nil }
        unsafe self.kernels = kernels
        digestByteCount = variant.blockByteCount / 2
    }

    /// The name for `CREDKIT_KERNELS`.
    var name: String { unsafe String(cString: kernels.pointee.name) }

    static var rejectedName: String? { unsafe credkit_shacrypt_rejected().map { unsafe String(cString: $0) } }

    /// Computes a digest, in the order of the bytes that its text encodes. The salt has at most 16 bytes.
    func digest(
        of password: Span<UInt8>,
        salt: [UInt8],
        rounds: Int,
        _ interruption: Interruption
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        guard !interruption.isRaised else { throw .cancelled }
        if let seat = interruption.seat {
            return try self.digest(of: password, salt: salt, rounds: rounds, interruption, in: seat)
        }
        return try unsafe .derived(count: digestByteCount) { digest in
            guard let target = digest.baseAddress else { return .outOfMemory }
            let status = unsafe password.withUnsafeBytes { password in
                unsafe salt.withUnsafeBytes { salt in
                    var input = unsafe credkit_shacrypt_input(
                        password: password.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        password_length: password.count,
                        salt: salt.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        salt_length: salt.count,
                        rounds: UInt32(rounds)
                    )
                    return unsafe credkit_shacrypt_derive(kernels, &input, 1, target, interruption.flag)
                }
            }
            return status == Int32(CREDKIT_SHACRYPT_DONE) ? nil : PasswordError.cancelled
        }
    }

    /// Computes a digest in a lane beside those of other computations.
    private func digest(
        of password: Span<UInt8>,
        salt: [UInt8],
        rounds: Int,
        _ interruption: Interruption,
        in seat: SharedCore.Seat
    ) throws(PasswordError) -> SecretBytes {
        try unsafe .derived(count: digestByteCount) { digest in
            guard let target = digest.baseAddress else { return .outOfMemory }
            let failure = unsafe password.withUnsafeBytes { password in
                unsafe salt.withUnsafeBytes { salt in
                    var input = unsafe credkit_shacrypt_input(
                        password: password.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        password_length: password.count,
                        salt: salt.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        salt_length: salt.count,
                        rounds: UInt32(rounds)
                    )
                    return unsafe seat.compute(
                        .shaCrypt(kernels),
                        byteCount: Int(CREDKIT_SHACRYPT_LANE_SIZE),
                        interruption
                    ) { lane, _ in
                        unsafe credkit_shacrypt_lane_prepare(kernels, lane, &input)
                    } finish: { lane, _ in
                        unsafe credkit_shacrypt_lane_finish(kernels, lane, target)
                    }
                }
            }
            return failure.map { PasswordError($0) }
        }
    }
}

extension SHACryptHash.Variant {
    /// The number in hashes.
    var number: Int32 {
        self == .sha256 ? Int32(CREDKIT_SHA256_CRYPT) : Int32(CREDKIT_SHA512_CRYPT)
    }
}

extension LaneKernels {
    /// The kernels of SHA-crypt; `nil` if libxcrypt must compute.
    init?(_ variant: SHACryptHash.Variant) {
        guard let kernels = unsafe credkit_shacrypt_choose(variant.number) else { return nil }
        self = unsafe .shaCrypt(kernels)
    }
}
