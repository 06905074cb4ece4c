// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension Scrypt {
    /// The name of the first kernels that did not compute the known answers; `nil` if none failed.
    static var rejectedKernels: String? {
        unsafe credkit_scrypt_rejected().map { unsafe String(cString: $0) }
    }

    /// Whether the kernels compute with these costs; otherwise OpenSSL does.
    static func usesKernels(_ parameters: Parameters) -> Bool {
        parameters.blockSize <= Int(CREDKIT_SCRYPT_LARGEST_BLOCK)
            && parameters.blocksByteCount <= largestBlocksOfKernels && credkit_scrypt_best_lanes(1) > 0
    }

    /// Returns how many of the independent computations the kernels do at once: as many as take the least time for each, as
    /// was measured in this process, and have the memory. 0 if OpenSSL must compute.
    static func laneCount(_ parameters: Parameters, _ computation: Computation) -> Int {
        guard usesKernels(parameters) else { return 0 }
        var lanes = credkit_scrypt_best_lanes(computation.usesSpareMemory ? parameters.parallelism : 1)
        while lanes > 1, parameters.memoryByteCount(lanes: lanes) > computation.memoryLimit.bytes {
            lanes = credkit_scrypt_best_lanes(lanes - 1)
        }
        return lanes
    }

    /// Derives a key with the kernels, in an arena that also holds the blocks.
    static func deriveWithKernels(
        from password: Span<UInt8>,
        salt: [UInt8],
        _ parameters: Parameters,
        count: Int,
        _ computation: Computation,
        lanes: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        guard password.count <= Int(Int32.max), salt.count <= Int(Int32.max), count <= Int(Int32.max) else {
            throw .inputTooLong("the password or the salt is too long: OpenSSL takes at most 2³¹ - 1 bytes")
        }
        let interruption = computation.interruption
        let byteCount = parameters.memoryByteCount(lanes: lanes)
        let arenas = computation.keepsMemory ? Argon2Arenas.shared : nil
        guard
            let arena = arenas.map({ $0.take(byteCount: byteCount) })
                ?? Argon2Arena(byteCount: byteCount, isLocked: false)
        else { throw .outOfMemory }
        defer {
            if let arenas {
                arenas.giveBack(arena, isWiped: !interruption.isRaised)
            } else {
                arena.unmap()
            }
        }
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { key in
            let blocks = unsafe UnsafeMutableBufferPointer(
                start: arena.start + (byteCount - parameters.blocksByteCount),
                count: parameters.blocksByteCount
            )
            let isComputed = unsafe password.withUnsafeBytes { password in
                unsafe salt.withUnsafeBytes { salt in
                    guard unsafe expand(password, salt: salt, to: blocks) else { return false }
                    unsafe mix(blocks, parameters, lanes: lanes, memory: arena.start, interruption)
                    return unsafe expand(password, salt: UnsafeRawBufferPointer(blocks), to: key)
                }
            }
            guard isComputed else { return .failed("OpenSSL could not compute PBKDF2") }
            return interruption.isRaised ? KeyDerivationError.cancelled : nil
        }
    }

    /// Mixes the blocks of all independent computations, unless it is interrupted.
    private static func mix(
        _ blocks: UnsafeMutableBufferPointer<UInt8>,
        _ parameters: Parameters,
        lanes: Int,
        memory: UnsafeMutablePointer<UInt8>,
        _ interruption: Interruption
    ) {
        guard let firstBlock = blocks.baseAddress else { return }
        let blockByteCount = 128 * parameters.blockSize
        let laneByteCount = credkit_scrypt_memory_size(UInt32(parameters.logN), parameters.blockSize)
        var first = 0
        while first < parameters.parallelism, !interruption.isRaised {
            let count = credkit_scrypt_best_lanes(min(lanes, parameters.parallelism - first))
            guard let kernels = unsafe credkit_scrypt_choose(count) else { return }
            var run = unsafe (0..<count).map { lane in
                unsafe credkit_scrypt_lane(
                    block: firstBlock + (first + lane) * blockByteCount,
                    memory: memory + lane * laneByteCount,
                    is_cancelled: UnsafePointer(interruption.flag),
                    status: 0
                )
            }
            // Without memory for the lanes, these are computed by themselves.
            let isMixed =
                interruption.seat.map { unsafe mix(run, parameters, interruption, in: $0) } ?? false
            if !isMixed {
                unsafe credkit_scrypt_run(kernels, &run, count, UInt32(parameters.logN), parameters.blockSize)
            }
            first += count
        }
    }

    /// Mixes blocks in lanes beside those of other computations. The results replace the blocks, unless it is interrupted.
    /// Returns `false` if nothing was done, since there is no memory.
    private static func mix(
        _ run: [credkit_scrypt_lane],
        _ parameters: Parameters,
        _ interruption: Interruption,
        in seat: SharedCore.Seat
    ) -> Bool {
        let failure = unsafe seat.compute(
            .scrypt(logN: UInt32(parameters.logN), blockSize: parameters.blockSize),
            count: run.count,
            byteCount: MemoryLayout<credkit_scrypt_lane>.size,
            interruption
        ) { lane, index in
            var state = unsafe run[index]
            // Not yet run.
            unsafe state.status = -1
            unsafe lane.initializeMemory(as: credkit_scrypt_lane.self, to: state)
        } finish: { _, _ in
        }
        return failure == nil || interruption.isRaised
    }
}
