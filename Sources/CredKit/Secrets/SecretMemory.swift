// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The guarded memory that all ``SecretBytes`` of this process share.
public enum SecretMemory {
    /// What the guarded memory amounts to at one moment.
    public struct Status: Sendable, Hashable {
        /// The bytes of guarded pages that are locked into memory, in use or not.
        public let lockedByteCount: Int

        /// The bytes of guarded pages that are not, because the process has reached its limit (`ulimit -l`):
        /// they may reach the swap space. Everything else that ``SecretBytes`` promises holds for them.
        public let unlockedByteCount: Int

        /// Whether all guarded pages are locked into memory.
        public var isFullyLocked: Bool { unlockedByteCount == 0 }
    }

    /// What the guarded memory amounts to now.
    public static var status: Status { SecretPool.shared.status }
}
