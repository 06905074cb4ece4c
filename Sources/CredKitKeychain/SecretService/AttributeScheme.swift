// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// By which attributes items are stored and found in a Secret Service: what other programs call service and account.
///
/// Items are found by service and account, whatever else they have: `xdg:schema` is written, since other programs
/// look for it, and not asked for.
///
/// | scheme | service | account | `xdg:schema` | label |
/// |---|---|---|---|---|
/// | ``generic`` | `service` | `username` | `org.freedesktop.Secret.Generic` | the item's |
/// | ``keytar`` | `service` | `account` | `org.freedesktop.Secret.Generic` | `service/account` |
/// | ``git`` | an address: `protocol`, `server`, `port`, `object` | `user` | `org.git.Password` | `Git: address/` |
/// | ``docker`` | `server` | `username` | `io.docker.Credentials` | `server` |
///
/// Labels are the scheme's only where an item has the label that it gets by itself.
public struct AttributeScheme: Sendable, Hashable {
    private enum Kind: Sendable, Hashable { case generic, keytar, git, docker }

    /// What CredKit, Python keyring, go-keyring and keyring-rs write.
    public static let generic = Self(kind: .generic)
    /// What keytar writes, the library that many Electron programs use.
    public static let keytar = Self(kind: .keytar)
    /// What git's `git-credential-libsecret` writes. The service is an address such as `https://example.com:8443/path`.
    public static let git = Self(kind: .git)
    /// What `docker-credential-secretservice` writes. The service is the registry's address.
    public static let docker = Self(kind: .docker)

    private let kind: Kind

    /// The attributes that an item with a key gets.
    ///
    /// - Parameter key: What the item is found by.
    /// - Returns: All attributes, with those that name the schema.
    /// - Throws: ``KeychainError/invalid`` if the service is no address where the scheme wants one.
    public func attributes(for key: CredentialKey) throws(KeychainError) -> [String: String] {
        let marks = self.marks
        return try query(for: key).merging(marks) { own, _ in own }
    }

    /// The key of an item with such attributes.
    ///
    /// - Parameter attributes: All attributes of an item, whoever wrote it.
    /// - Returns: Its key. The service is empty if the attributes name none in this scheme.
    public func key(for attributes: [String: String]) -> CredentialKey {
        var rest = attributes
        for (name, value) in marks where kind == .docker && name != Self.schema && rest[name] == value {
            rest[name] = nil
        }
        let service =
            kind == .git ? GitAddress(removingFrom: &rest)?.text : rest.removeValue(forKey: serviceName)
        let account = rest.removeValue(forKey: accountName)
        // Some keytar items have a `username`, of other programs.
        let other = account == nil && kind == .keytar ? rest.removeValue(forKey: "username") : nil
        return CredentialKey(service: service ?? "", account: account ?? other, attributes: rest)
    }

    /// The attributes that items are searched by for a key.
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
        return all
    }

    /// The label of an item in this scheme.
    func label(of item: CredentialItem) -> String {
        guard item.label == CredentialItem(key: item.key).label else { return item.label }
        switch kind {
        case .generic: return item.label
        case .keytar: return item.account.map { "\(item.service)/\($0)" } ?? item.service
        case .git: return "Git: \(item.service)" + (item.service.split(separator: "/").count > 2 ? "" : "/")
        case .docker: return item.service
        }
    }

    private static let schema = "xdg:schema"

    private var serviceName: String { kind == .docker ? "server" : CredentialKey.serviceName }

    private var accountName: String {
        switch kind {
        case .generic, .docker: CredentialKey.accountName
        case .keytar: "account"
        case .git: "user"
        }
    }

    /// What is written beside service and account.
    private var marks: [String: String] {
        switch kind {
        case .generic, .keytar: [Self.schema: "org.freedesktop.Secret.Generic"]
        case .git: [Self.schema: "org.git.Password"]
        case .docker:
            [Self.schema: "io.docker.Credentials", "label": "Docker Credentials", "docker_cli": "1"]
        }
    }
}
