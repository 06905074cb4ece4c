// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a vault may have and ask for at most. A file beyond it is refused before any work is done for it.
enum VaultLimits {
    /// The whole file, in bytes.
    static let fileByteCount = 256 << 20
    /// The header with all slots, in bytes.
    static let headerByteCount = 64 << 10
    static let slotCount = 32
    /// The bytes of a slot's name.
    static let slotNameByteCount = 255
    /// The memory of a key derivation in KiB: 1 GiB.
    static let memoryKiB = 8...(1 << 20)
    static let passes = 1...64
    /// Memory in KiB times passes: some 5 seconds.
    static let memoryKiBTimesPasses = 4 << 20
    static let passphraseByteCount = 4096
    /// The size of a raw key in bytes.
    static let rawKeyByteCount = 32...(1 << 20)
}
