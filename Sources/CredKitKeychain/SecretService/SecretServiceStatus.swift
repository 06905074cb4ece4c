// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The status of a Secret Service, determined without a prompt; see ``SecretServiceStore/status()``.
public struct SecretServiceStatus: Sendable, Hashable {
    /// The source of the session bus's address.
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
        /// The label, for display.
        public var label: String
        /// Whether the collection is locked.
        public var isLocked: Bool
        /// Whether the collection has no password, so that anyone with access to its file can read it; `nil` if this
        /// cannot be determined.
        public var hasNoPassword: Bool?
    }

    /// The source of the session bus's address.
    public var busSource: BusSource
    /// The unique name of the service on the bus, for example `:1.5`.
    public var owner: String
    /// The name of the service's process, for example `gnome-keyring-d`; `nil` if it cannot be determined.
    public var process: String?
    /// The program, as far as its process tells.
    public var daemon: SecretServiceDaemon { SecretServiceDaemon(process: process) }
    /// The store's collection: the default one, or the named one; `nil` if there is no such collection.
    public var collection: Collection?
    /// The labels of all collections, sorted. A collection without a label is listed with the last part of its path.
    public var collectionLabels: [String]
}
