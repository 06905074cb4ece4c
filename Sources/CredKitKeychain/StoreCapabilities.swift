// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The optional features of a store.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
    /// The raw bits.
    public let rawValue: Int

    /// Creates capabilities from raw bits.
    ///
    /// - Parameter rawValue: The raw bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Items outlive the process.
    public static let persistent = Self(rawValue: 1 << 0)
    /// A batch is stored completely or not at all, even after a crash.
    public static let atomicUpdates = Self(rawValue: 1 << 1)
    /// The store can be locked and unlocked.
    public static let locking = Self(rawValue: 1 << 2)
    /// Services, accounts, labels and attributes are encrypted as well as secrets.
    public static let encryptedAttributes = Self(rawValue: 1 << 3)
    /// Unlocking may show a prompt at the desktop.
    public static let desktopPrompts = Self(rawValue: 1 << 4)
}
