// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Allocates guarded memory: small secrets get slots of a shared region, large ones a region of their own.
///
/// One guarded region costs 10 to 20 µs and four of the process's mappings, which are limited to 65,530: with a
/// region for every secret, some 16,000 secrets would exhaust them.
final class SecretPool: Sendable {
    static let shared = SecretPool()

    /// The sizes of slots in bytes. Larger secrets have regions of their own.
    private static let slotByteCounts = [32, 64, 128, 256, 512, 1024]

    /// The size of a shared region in bytes: exactly four pages together with libsodium's canary of 16 bytes, so that
    /// some regions can be locked even under a limit of 64 KiB.
    private static let regionByteCount = 4 * 4096 - 16

    private struct State: Sendable {
        /// The regions with a free slot, by index into `slotByteCounts`. Each region is in its list once.
        var available: [[SlottedRegion]] = Array(repeating: [], count: slotByteCounts.count)
        /// The last large region that was released, wiped. Changing a large secret repeatedly allocates a new region
        /// and releases the old one each time; mapping and locking pages takes longer than filling them.
        var spare: GuardedRegion?
        var lockedByteCount = 0
        var unlockedByteCount = 0

        mutating func count(_ region: GuardedRegion, sign: Int) {
            if region.isLocked {
                lockedByteCount += sign * region.byteCount
            } else {
                unlockedByteCount += sign * region.byteCount
            }
        }
    }

    /// The maximum size of a spare region in bytes. Retaining a larger one would use up memory that others could
    /// lock.
    private static let spareByteCount = 1 << 20

    private let state = Lock(State())

    /// Zeroed memory for one secret.
    struct Allocation: Sendable {
        fileprivate let region: GuardedRegion
        /// The slots of the shared region, or `nil` if the region belongs to the secret alone.
        fileprivate let slots: SlottedRegion?
        fileprivate let offset: Int
        fileprivate let byteCount: Int

        var bytes: UnsafeMutableBufferPointer<UInt8> {
            unsafe region.bytes.extracting(offset..<offset + byteCount)
        }

        var isLocked: Bool { region.isLocked }
    }

    var status: SecretMemory.Status {
        state.withLock {
            SecretMemory.Status(locked: .bytes($0.lockedByteCount), unlocked: .bytes($0.unlockedByteCount))
        }
    }

    func allocate(_ byteCount: Int) throws(SecretMemoryError) -> Allocation {
        guard let sizeClass = Self.slotByteCounts.firstIndex(where: { byteCount <= $0 }) else {
            if let region = takeSpare(byteCount) {
                return Allocation(region: region, slots: nil, offset: 0, byteCount: byteCount)
            }
            let region = try GuardedRegion(byteCount: byteCount)
            state.withLock { $0.count(region, sign: 1) }
            return Allocation(region: region, slots: nil, offset: 0, byteCount: byteCount)
        }
        return try state.withLock { (state) throws(SecretMemoryError) in
            let slots: SlottedRegion
            if let available = state.available[sizeClass].last {
                slots = available
            } else {
                let region = try GuardedRegion(byteCount: Self.regionByteCount)
                state.count(region, sign: 1)
                slots = SlottedRegion(
                    region: region,
                    sizeClass: sizeClass,
                    slotByteCount: Self.slotByteCounts[sizeClass]
                )
                state.available[sizeClass].append(slots)
            }
            let slot = slots.freeSlots.removeLast()
            if slots.freeSlots.isEmpty { state.available[sizeClass].removeLast() }
            return Allocation(
                region: slots.region,
                slots: slots,
                offset: Int(slot) * slots.slotByteCount,
                byteCount: slots.slotByteCount
            )
        }
    }

    /// The spare region, if it is large enough and not much larger.
    private func takeSpare(_ byteCount: Int) -> GuardedRegion? {
        state.withLock { state in
            guard let spare = state.spare, spare.byteCount >= byteCount, spare.byteCount / 2 <= byteCount
            else {
                return nil
            }
            state.spare = nil
            return spare
        }
    }

    func release(_ allocation: Allocation) {
        unsafe Wiping.wipe(allocation.bytes)
        state.withLock { state in
            guard let slots = allocation.slots else {
                var gone: GuardedRegion? = allocation.region
                if allocation.region.byteCount <= Self.spareByteCount { swap(&gone, &state.spare) }
                // The region itself is freed together with the allocation, or with this variable.
                if let gone { state.count(gone, sign: -1) }
                return
            }
            if slots.freeSlots.isEmpty { state.available[slots.sizeClass].append(slots) }
            slots.freeSlots.append(UInt16(allocation.offset / slots.slotByteCount))
            // An empty region is returned to the system unless it is the only one with free slots.
            if slots.isUnused && state.available[slots.sizeClass].count > 1 {
                state.available[slots.sizeClass].removeAll { $0 === slots }
                state.count(slots.region, sign: -1)
            }
        }
    }
}

/// A region divided into slots of one size.
///
/// It is Sendable because its list of free slots is accessed only with the pool's lock held.
private final class SlottedRegion: @unchecked Sendable {
    let region: GuardedRegion
    let sizeClass: Int
    let slotByteCount: Int
    private let slotCount: Int
    var freeSlots: [UInt16]

    var isUnused: Bool { freeSlots.count == slotCount }

    init(region: GuardedRegion, sizeClass: Int, slotByteCount: Int) {
        self.region = region
        self.sizeClass = sizeClass
        self.slotByteCount = slotByteCount
        slotCount = region.byteCount / slotByteCount
        freeSlots = (0..<UInt16(slotCount)).reversed()
    }
}
