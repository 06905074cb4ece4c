// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The kernels of Argon2 in the instruction set of this processor.
@safe
struct Argon2Kernels {
    private let kernels: UnsafePointer<credkit_argon2_kernels>

    /// Selects the kernels; `nil` if libsodium must compute.
    init?() {
        guard let kernels = unsafe credkit_argon2_choose() else { return nil }
        unsafe self.kernels = kernels
    }

    /// The name for `CREDKIT_KERNELS`.
    var name: String { unsafe String(cString: kernels.pointee.name) }

    static var rejectedName: String? { unsafe credkit_argon2_rejected().map { unsafe String(cString: $0) } }

    /// Derives a key in an arena.
    func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        _ parameters: Argon2.Parameters,
        count: Int,
        _ computation: Argon2.Computation
    ) throws(KeyDerivationError) -> SecretBytes {
        let interruption = computation.interruption
        guard !interruption.isRaised else { throw .cancelled }
        var input = unsafe credkit_argon2_input()
        unsafe input.type = parameters.variant.number
        unsafe input.version = parameters.version.rawValue
        unsafe input.lanes = UInt32(parameters.lanes)
        unsafe input.memory_kib = UInt32(parameters.memory.kibibytes)
        unsafe input.passes = UInt32(parameters.passes)
        if parameters.memory >= Argon2.leastMemoryOfThreads {
            unsafe input.threads = UInt32(clamping: computation.threads)
        }
        let byteCount = unsafe credkit_argon2_memory_size(&input)
        let (arenas, isLocked) = (
            computation.keepsMemory ? Argon2Arenas.shared : nil, computation.locksMemory
        )
        guard
            let arena = arenas.map({ $0.take(byteCount: byteCount, isLocked: isLocked) })
                ?? Argon2Arena(byteCount: byteCount, isLocked: isLocked)
        else { throw .outOfMemory }
        defer {
            if let arenas {
                arenas.giveBack(arena, isWiped: !interruption.isRaised)
            } else {
                arena.unmap()
            }
        }
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { key in
            guard let target = key.baseAddress else { return .outOfMemory }
            let status = unsafe password.withUnsafeBytes { password in
                unsafe salt.withUnsafeBytes { salt in
                    unsafe parameters.secret.withUnsafeBytes { secret in
                        unsafe parameters.associatedData.withUnsafeBytes { data in
                            unsafe input.password = Self.bytes(password)
                            unsafe input.salt = Self.bytes(salt)
                            unsafe input.secret = Self.bytes(secret)
                            unsafe input.data = Self.bytes(data)
                            return unsafe credkit_argon2_derive(
                                kernels,
                                &input,
                                arena.start,
                                target,
                                count,
                                interruption.flag
                            )
                        }
                    }
                }
            }
            return status == Int32(CREDKIT_ARGON2_DONE) ? nil : KeyDerivationError.cancelled
        }
    }

    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> credkit_argon2_bytes {
        unsafe credkit_argon2_bytes(
            bytes: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
            length: buffer.count
        )
    }
}

extension Argon2.Variant {
    /// The number in RFC 9106.
    fileprivate var number: UInt32 {
        switch self {
        case .argon2d: UInt32(CREDKIT_ARGON2D)
        case .argon2i: UInt32(CREDKIT_ARGON2I)
        case .argon2id: UInt32(CREDKIT_ARGON2ID)
        }
    }
}

/// The memory of one computation. It has one owner at a time, who unmaps it.
@safe
struct Argon2Arena: @unchecked Sendable {
    let start: UnsafeMutablePointer<UInt8>
    let byteCount: Int
    let isLocked: Bool

    /// Maps memory, and locks it on request; `nil` if there is not enough, or if so much must not be locked.
    init?(byteCount: Int, isLocked: Bool) {
        guard let start = unsafe credkit_arena_map(byteCount) else { return nil }
        unsafe self.start = start
        self.byteCount = byteCount
        self.isLocked = isLocked
        if isLocked, unsafe credkit_arena_lock(start, byteCount) != 0 {
            unmap()
            return nil
        }
    }

    /// Overwrites the memory with zeros.
    func wipe() { unsafe credkit_arena_wipe(start, byteCount) }

    /// Returns the memory to the system, which wipes it before it serves another process.
    func unmap() { unsafe credkit_arena_unmap(start, byteCount) }
}

/// Ends a computation that runs on another thread: kernels look at it at least every five milliseconds.
@safe
package final class Interruption: @unchecked Sendable {
    /// An interruption that never happens.
    package static let never = Interruption()

    /// Accessed with atomic operations only, except in deinit, when no other reference is left.
    let flag: UnsafeMutablePointer<Int32>

    /// Where the computation shares a core with others, in lanes of the same kernels; `nil` if it computes alone.
    let seat: SharedCore.Seat?

    /// Creates an interruption for one computation.
    package init(seat: SharedCore.Seat? = nil) {
        self.seat = seat
        unsafe flag = .allocate(capacity: 1)
        unsafe flag.initialize(to: 0)
    }

    deinit { unsafe flag.deallocate() }

    /// Ends the computation.
    package func raise() { unsafe credkit_argon2_cancel(flag) }

    /// Whether the computation must end.
    package var isRaised: Bool { unsafe credkit_argon2_is_cancelled(flag) != 0 }
}
