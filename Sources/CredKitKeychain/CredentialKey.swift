// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The key of an item: a service, an account, and optional further attributes.
///
/// No part of it is confidential in a Secret Service, which reveals attributes even while it is locked. The vault
/// encrypts them.
public struct CredentialKey: Sendable, Hashable {
    /// The purpose of the secret: the name of a program, a host, an address. Empty for items that other programs stored
    /// without one; such items need other attributes.
    public var service: String

    /// The account. `nil` for an item without an account, which differs from an item with an empty account.
    public var account: String?

    /// Further attributes, by name. They must not be named `service` or `username`.
    public var attributes: [String: String]

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - service: The service that the secret is for.
    ///   - account: The account, or `nil`.
    ///   - attributes: Further attributes, by name.
    public init(service: String, account: String?, attributes: [String: String] = [:]) {
        self.service = service
        self.account = account
        self.attributes = attributes
    }
}

extension CredentialKey {
    /// Returns whether two keys have the same bytes, as stores compare them. Swift treats different spellings as equal,
    /// such as `é` and `e` with a combining accent.
    public static func == (left: Self, right: Self) -> Bool {
        areSame(left.service, right.service) && areSame(left.account, right.account)
            && left.attributes.count == right.attributes.count && left.contains(right.attributes)
    }

    /// Hashes the compared bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Array(service.utf8))
        hasher.combine(account.map { Array($0.utf8) })
        // The sum does not depend on the order of the attributes.
        var sum = 0
        for (name, value) in attributes {
            var attribute = Hasher()
            attribute.combine(Array(name.utf8))
            attribute.combine(Array(value.utf8))
            sum &+= attribute.finalize()
        }
        hasher.combine(sum)
    }

    /// The names of the attributes for service and account.
    static let serviceName = "service"
    static let accountName = "username"

    /// Attributes that identify the program that wrote an item, not its purpose: they are ignored when keys are
    /// compared.
    static let writerMarks: Set<String> = ["xdg:schema", "application"]

    /// Creates the key from all attributes of an item, including service and account.
    init(allAttributes: [String: String]) {
        var others = allAttributes
        let service = others.removeValue(forKey: Self.serviceName)
        let account = others.removeValue(forKey: Self.accountName)
        self.init(service: service ?? "", account: account, attributes: others)
    }

    /// Service, account and the further attributes, by name.
    var allAttributes: [String: String] {
        var all = attributes
        if !service.isEmpty { all[Self.serviceName] = service }
        if let account { all[Self.accountName] = account }
        return all
    }

    /// Returns whether the keys are equal, except for attributes that identify the writer.
    package func isSame(as other: CredentialKey) -> Bool {
        Self.areSame(service, other.service) && Self.areSame(account, other.account)
            && distinguishing.count == other.distinguishing.count && contains(other.distinguishing)
    }

    /// Returns whether two names have the same bytes: Swift treats some names as equal that stores distinguish.
    static func areSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.utf8.elementsEqual(right.utf8)
    }

    private var distinguishing: [String: String] { attributes.filter { !Self.writerMarks.contains($0.key) } }

    /// Returns whether an item with this key matches a query: service, account and ``Purpose`` are equal, and the item has each
    /// attribute of the query.
    package func answers(_ question: CredentialKey) -> Bool {
        Self.areSame(service, question.service) && Self.areSame(account, question.account)
            && Self.areSame(attributes[Self.purposeName], question.attributes[Self.purposeName])
            && contains(question.attributes)
    }

    /// Returns whether the key has all of the attributes, including service and account.
    package func matches(_ attributes: [String: String]) -> Bool {
        Self.contains(attributes, in: allAttributes)
    }

    private func contains(_ attributes: [String: String]) -> Bool {
        Self.contains(attributes, in: self.attributes)
    }

    /// Returns whether all of the attributes are among others: a dictionary finds a name that has other bytes, too.
    private static func contains(_ attributes: [String: String], in others: [String: String]) -> Bool {
        attributes.allSatisfy { name, value in
            guard let index = others.index(forKey: name) else { return false }
            return areSame(others[index].key, name) && areSame(others[index].value, value)
        }
    }

    /// Throws if no item can be stored under this key.
    func check() throws(KeychainError) {
        guard !service.isEmpty || !distinguishing.isEmpty else {
            throw .invalid(
                "the service is empty: an item needs a service, or other attributes by which it is found"
            )
        }
        guard attributes[Self.serviceName] == nil, attributes[Self.accountName] == nil else {
            throw .invalid("service or username is given as a further attribute: give each only once")
        }
        for (name, value) in allAttributes {
            guard !name.isEmpty else { throw .invalid("an attribute has no name") }
            guard !name.utf8.contains(0), !value.utf8.contains(0) else {
                throw .invalid(
                    "a service, account or attribute contains a NUL character, which is not allowed"
                )
            }
            guard name.utf8.count <= StoreLimits.nameByteCount, value.utf8.count <= StoreLimits.nameByteCount
            else {
                throw .overLimit(
                    "a service, account or attribute is longer than \(StoreLimits.nameByteCount) bytes"
                )
            }
        }
        guard attributes.count <= StoreLimits.attributeCount else {
            throw .overLimit("an item has more than \(StoreLimits.attributeCount) attributes")
        }
    }
}

extension CredentialKey: CustomStringConvertible {
    /// The key as a readable text, for example `service=mail account=alice`.
    public var description: String {
        let pairs = [("service", service)] + (account.map { [("account", $0)] } ?? [])
        return (pairs + attributes.sorted { $0.key < $1.key }).map { "\($0.0)=\($0.1)" }
            .joined(separator: " ")
    }
}

extension CredentialKey {
    /// What a component of CredKit uses a secret for. It is an attribute of the item, and an item that has one answers only a
    /// query with the same one. So components find only their own secrets, also where service and account are the same.
    package enum Purpose: String, Sendable, CaseIterable {
        /// The key of a session file.
        case sessionKey = "session-key"
        /// The password or token with which a session logs in again.
        case sessionSecret = "session-secret"
        /// The key that the tokens of a session are bound to.
        case dpopKey = "dpop-key"
        /// A key of one-time codes.
        case oneTimeCode = "one-time-code"
        /// The key of a slot of a vault.
        case vaultSlot = "vault-slot"
        /// A credential of git's, in a vault. In the Secret Service git's items have names of their own.
        case git = "git"
        /// A credential of docker's, in a vault.
        case docker = "docker"
    }

    /// The name of the attribute.
    package static let purposeName = "credkit-purpose"

    /// Creates the key of an item for a purpose.
    package init(
        _ purpose: Purpose,
        service: String,
        account: String?,
        attributes: [String: String] = [:]
    ) {
        self.init(
            service: service,
            account: account,
            attributes: attributes.merging([Self.purposeName: purpose.rawValue]) { $1 }
        )
    }

    /// Whether the item is one for a purpose, or for none.
    package func isFor(_ purpose: Purpose?) -> Bool {
        Self.areSame(attributes[Self.purposeName], purpose?.rawValue)
    }
}

extension CredentialItem {
    /// Whether git, docker, a session or another program finds the item by itself, and uses it without asking.
    package var isUsedUnasked: Bool {
        key.attributes.keys.contains(where: CredentialKey.writerMarks.contains)
            || key.attributes[CredentialKey.purposeName] != nil && !key.isFor(.oneTimeCode)
    }

    /// Whether the item can be moved to another store, exported and imported: not the key of a vault, which unlocks nothing
    /// elsewhere, or could be locked up in what it unlocks. It also needs a service.
    package var isMovable: Bool { !service.isEmpty && !key.isFor(.vaultSlot) }
}
