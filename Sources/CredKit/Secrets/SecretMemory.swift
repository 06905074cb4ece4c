// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The guarded memory that all ``SecretBytes`` of this process share.
public enum SecretMemory {
    /// The amount of guarded memory at one moment, locked and unlocked.
    public struct Status: Sendable, Hashable {
        /// The number of bytes in guarded pages that are locked into memory, in use or not.
        public let lockedByteCount: Int

        /// The number of bytes in guarded pages that are not locked, because the process has reached its limit
        /// (`ulimit -l`): they may reach the swap space. Every other protection of ``SecretBytes`` still applies to
        /// them.
        public let unlockedByteCount: Int

        /// Whether all guarded pages are locked into memory.
        public var isFullyLocked: Bool { unlockedByteCount == 0 }
    }

    /// The amount of guarded memory now, locked and unlocked.
    public static var status: Status { SecretPool.shared.status }
}
