// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// Memory from libsodium's guarded allocator: inaccessible pages on both sides, a canary that is checked at the
/// end, left out of core dumps, locked as far as the limit allows, overwritten with zeros when it is freed.
///
/// What the pointer leads to belongs to whoever was given that part of it; the region itself never changes.
@safe
final class GuardedRegion: @unchecked Sendable {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    let isLocked: Bool

    var byteCount: Int { unsafe bytes.count }

    /// A region of zeros.
    ///
    /// - Parameter byteCount: The size in bytes, at least 1.
    /// - Throws: ``SecretMemoryError`` when there is no memory left.
    init(byteCount: Int) throws(SecretMemoryError) {
        // sodium_init may be called again and from any thread; it answers 1 when there is nothing to do.
        guard sodium_init() >= 0, let memory = unsafe sodium_malloc(byteCount) else {
            throw SecretMemoryError(requestedByteCount: byteCount)
        }
        unsafe bytes = UnsafeMutableBufferPointer(
            start: memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount),
            count: byteCount
        )
        // sodium_malloc locks the pages and keeps a failure to itself. Asking again tells: pages that are
        // locked already count once.
        isLocked = unsafe sodium_mlock(memory, byteCount) == 0
    }

    deinit {
        unsafe sodium_free(bytes.baseAddress)
    }
}
