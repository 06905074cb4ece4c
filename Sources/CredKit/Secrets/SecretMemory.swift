// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The guarded memory that all ``SecretBytes`` of this process share.
public enum SecretMemory {
    /// The amount of guarded memory at one moment, locked and unlocked.
    public struct Status: Sendable, Hashable {
        /// The guarded pages that are locked into memory, in use or not.
        public let locked: MemorySize

        /// The guarded pages that are not locked, because the process has reached its limit (`ulimit -l`): they may
        /// reach the swap space. Every other protection of ``SecretBytes`` still applies to them.
        public let unlocked: MemorySize

        /// Whether all guarded pages are locked into memory.
        public var isFullyLocked: Bool { unlocked == .bytes(0) }
    }

    /// The amount of guarded memory now, locked and unlocked.
    public static var status: Status { SecretPool.shared.status }
}
