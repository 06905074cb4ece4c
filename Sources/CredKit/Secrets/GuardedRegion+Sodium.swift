// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitSodium

/// Memory from libsodium's guarded allocator.
///
/// It has inaccessible pages on both sides and a canary that is checked when the memory is freed. It is excluded from
/// core dumps, locked as far as the limit allows, and overwritten with zeros when it is freed.
///
/// Each part of the memory belongs to the caller that it was allocated to; the region itself never changes.
@safe
final class GuardedRegion: @unchecked Sendable {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    let isLocked: Bool

    var byteCount: Int { unsafe bytes.count }

    /// Creates a region of zeros.
    ///
    /// - Parameter byteCount: The size in bytes, at least 1.
    /// - Throws: ``SecretMemoryError`` when there is no memory left.
    init(byteCount: Int) throws(SecretMemoryError) {
        // sodium_init may be called repeatedly and from any thread; it returns 1 if libsodium is already initialized.
        guard sodium_init() >= 0, let memory = unsafe sodium_malloc(byteCount) else {
            throw SecretMemoryError(requested: .bytes(byteCount))
        }
        unsafe bytes = UnsafeMutableBufferPointer(
            start: memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount),
            count: byteCount
        )
        // sodium_malloc tries to lock the pages but does not report a failure. Locking them again does; pages that
        // are locked already are counted once against the limit.
        isLocked = unsafe sodium_mlock(memory, byteCount) == 0
    }

    deinit {
        unsafe sodium_free(bytes.baseAddress)
    }
}
