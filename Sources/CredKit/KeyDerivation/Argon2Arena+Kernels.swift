// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

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
