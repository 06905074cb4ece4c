// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What can be said of a Secret Service without asking anybody; see ``SecretServiceStore/status()``.
public struct SecretServiceStatus: Sendable, Hashable {
    /// What said where the session bus is.
    public enum BusSource: String, Sendable, Hashable {
        /// The variable `DBUS_SESSION_BUS_ADDRESS`.
        case environment = "DBUS_SESSION_BUS_ADDRESS"
        /// The socket `bus` in `$XDG_RUNTIME_DIR`.
        case runtimeDirectory = "XDG_RUNTIME_DIR"
    }

    /// A collection: a keyring.
    public struct Collection: Sendable, Hashable {
        /// Its object path.
        public var path: String
        /// What people see.
        public var label: String
        /// Whether it is locked.
        public var isLocked: Bool
        /// Whether it has no password, so that its file can be read by whoever has it; `nil` if that cannot be known.
        public var hasNoPassword: Bool?
    }

    /// What said where the session bus is.
    public var busSource: BusSource
    /// The unique name of the service on the bus, for instance `:1.5`.
    public var owner: String
    /// The name of the service's process, for instance `gnome-keyring-d`; `nil` if that cannot be known.
    public var process: String?
    /// The store's collection: the default one, or the one that was named; `nil` if there is no such collection.
    public var collection: Collection?
    /// The labels of all collections, sorted. Those without a label are called by the last part of their path.
    public var collectionLabels: [String]
}
