// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The limits of a vault and its costs. A file over a limit is rejected before any work is done for it.
enum VaultLimits {
    /// The maximum size of the file in bytes.
    static let fileByteCount = 256 << 20
    /// The maximum size of the header with all slots, in bytes.
    static let headerByteCount = 64 << 10
    static let slotCount = 32
    /// The maximum size of a slot's name in bytes.
    static let slotNameByteCount = 255
    /// The memory of a key derivation in KiB, at most 1 GiB.
    static let memoryKiB = 8...(1 << 20)
    static let passes = 1...64
    /// The maximum product of memory in KiB and passes: about 5 seconds.
    static let memoryKiBTimesPasses = 4 << 20
    static let passphraseByteCount = 4096
    /// The size of a raw key in bytes.
    static let rawKeyByteCount = 32...(1 << 20)
}
