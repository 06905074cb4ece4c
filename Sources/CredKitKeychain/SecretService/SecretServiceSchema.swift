// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The attributes by which items are stored and found in a Secret Service: other programs' names for service and
/// account.
///
/// Items are found by service and account; other attributes do not matter. `xdg:schema` is written, since other
/// programs search by it. CredKit searches by it for git's and docker's items only, which no other item may be taken for.
///
/// | schema | service | account | `xdg:schema` | label |
/// |---|---|---|---|---|
/// | ``generic`` | `service` | `username` | `org.freedesktop.Secret.Generic` | the item's |
/// | ``keytar`` | `service` | `account` | `org.freedesktop.Secret.Generic` | `service/account` |
/// | ``git`` | an address: `protocol`, `server`, `port`, `object` | `user` | `org.git.Password` | `Git: address/` |
/// | ``docker`` | `server` | `username` | `io.docker.Credentials` | `server` |
///
/// A schema's label replaces only the default label of an item.
public struct SecretServiceSchema: Sendable, Hashable {
    private enum Kind: Sendable, Hashable { case generic, keytar, git, docker }

    /// The attributes of CredKit, Python keyring, go-keyring and keyring-rs.
    public static let generic = Self(kind: .generic)
    /// The attributes of keytar, the library that many Electron programs use.
    public static let keytar = Self(kind: .keytar)
    /// The attributes of git's `git-credential-libsecret`. The service is a URL such as
    /// `https://example.com:8443/path`.
    public static let git = Self(kind: .git)
    /// The attributes of `docker-credential-secretservice`. The service is the registry's address.
    public static let docker = Self(kind: .docker)

    private let kind: Kind

    /// Returns the attributes of an item with a key.
    ///
    /// - Parameter key: The key of the item.
    /// - Returns: All attributes, including those that name the schema.
    /// - Throws: ``KeychainError/invalid`` if the schema requires a URL as the service, and it is none.
    public func attributes(for key: CredentialKey) throws(KeychainError) -> [String: String] {
        let marks = self.marks
        return try query(for: key).merging(marks) { own, _ in own }
    }

    /// Returns the key of an item with given attributes.
    ///
    /// - Parameter attributes: All attributes of an item, from any program.
    /// - Returns: The key of the item. The service is empty if the attributes contain none in this schema.
    public func key(for attributes: [String: String]) -> CredentialKey {
        var rest = attributes
        guard !isStrict || rest[Self.schema] == marks[Self.schema] else {
            return CredentialKey(service: "", account: nil, attributes: rest)
        }
        for (name, value) in marks where kind == .docker && name != Self.schema && rest[name] == value {
            rest[name] = nil
        }
        let service =
            kind == .git ? GitAddress(removingFrom: &rest)?.text : rest.removeValue(forKey: serviceName)
        let account = rest.removeValue(forKey: accountName)
        // Some keytar items of other programs have a `username`.
        let other = account == nil && kind == .keytar ? rest.removeValue(forKey: "username") : nil
        return CredentialKey(service: service ?? "", account: account ?? other, attributes: rest)
    }

    /// Returns the attributes to search by for a key.
    func query(for key: CredentialKey) throws(KeychainError) -> [String: String] {
        var all = key.attributes
        if !key.service.isEmpty {
            if kind == .git {
                all.merge(try GitAddress(key.service).attributes) { _, new in new }
            } else {
                all[serviceName] = key.service
            }
        }
        if let account = key.account { all[accountName] = account }
        // Other programs, and users, have items with the same names in other schemas.
        if isStrict { all[Self.schema] = marks[Self.schema] }
        return all
    }

    /// Returns the label of an item in this schema.
    func label(of item: CredentialItem) -> String {
        guard item.label == CredentialItem(key: item.key).label else { return item.label }
        switch kind {
        case .generic: return item.label
        case .keytar: return item.account.map { "\(item.service)/\($0)" } ?? item.service
        case .git:
            return "Git: \(item.service)"
                + (item.service.utf8.split(separator: UInt8(ascii: "/")).count > 2 ? "" : "/")
        case .docker: return item.service
        }
    }

    /// Whether items of other schemas are none of this one.
    private var isStrict: Bool { kind == .git || kind == .docker }

    private static let schema = "xdg:schema"

    private var serviceName: String { kind == .docker ? "server" : CredentialKey.serviceName }

    private var accountName: String {
        switch kind {
        case .generic, .docker: CredentialKey.accountName
        case .keytar: "account"
        case .git: "user"
        }
    }

    /// The attributes that are written in addition to service and account.
    private var marks: [String: String] {
        switch kind {
        case .generic, .keytar: [Self.schema: "org.freedesktop.Secret.Generic"]
        case .git: [Self.schema: "org.git.Password"]
        case .docker:
            [Self.schema: "io.docker.Credentials", "label": "Docker Credentials", "docker_cli": "1"]
        }
    }
}
