// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a store can do beyond storing.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Capabilities from their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// What is stored outlives the process.
    public static let persistent = Self(rawValue: 1 << 0)
    /// A batch is stored whole or not at all, whatever happens meanwhile.
    public static let atomicUpdates = Self(rawValue: 1 << 1)
    /// The store can be locked and unlocked.
    public static let locking = Self(rawValue: 1 << 2)
    /// Services, accounts, labels and attributes are encrypted as well as secrets.
    public static let sealedAttributes = Self(rawValue: 1 << 3)
    /// Unlocking may ask somebody at the desktop.
    public static let desktopPrompts = Self(rawValue: 1 << 4)
}
