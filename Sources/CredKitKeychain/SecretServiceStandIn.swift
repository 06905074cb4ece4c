// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// What the command needs of the Secret Service beyond `SecretService/Temporary.swift`. To be deleted together with that.

extension AttributeScheme {
    public static let keytar = AttributeScheme()
    public static let git = AttributeScheme()
    public static let docker = AttributeScheme()
}

public struct SecretServiceStatus: Sendable, Hashable {
    public enum BusSource: String, Sendable, Hashable {
        case environment = "DBUS_SESSION_BUS_ADDRESS"
        case runtimeDirectory = "XDG_RUNTIME_DIR"
    }

    public struct Collection: Sendable, Hashable {
        public var path: String
        public var label: String
        public var isLocked: Bool
        public var hasNoPassword: Bool?
    }

    public var busSource: BusSource
    public var owner: String
    public var process: String?
    public var collection: Collection?
    public var collectionLabels: [String]
}

extension SecretServiceStore {
    public func status() async throws(KeychainError) -> SecretServiceStatus { throw .noBus }
}
