// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The limits of a vault and its costs. A file over a limit is rejected before any work is done for it.
enum VaultLimits {
    /// The maximum size of the file in bytes.
    static let fileByteCount = 256 << 20
    /// The maximum size of the header with all slots, in bytes.
    static let headerByteCount = 64 << 10
    static let slotCount = 32
    /// The maximum size of a slot's name in bytes.
    static let slotNameByteCount = 255
    /// The memory of a key derivation.
    static let memory = MemorySize.kibibytes(8)...MemorySize.gibibytes(1)
    static let passes = 1...64
    /// The maximum product of memory and passes of one slot: 2 to 5 seconds.
    static let memoryTimesPasses = MemorySize.gibibytes(4)
    static let passphraseByteCount = 4096
    /// The size of a raw key in bytes.
    static let rawKeyByteCount = 32...(1 << 20)
}
