// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What an item is found by: a service, an account, and further attributes if there are any.
///
/// All of it is public: a Secret Service hands attributes out while it is locked. The vault encrypts them.
public struct CredentialKey: Sendable, Hashable {
    /// What the secret is for: the name of a program, a host, an address. Empty for items that other programs stored
    /// without one; they need other attributes to be found by.
    public var service: String

    /// Whose it is. `nil` for an item that has no account, which is another item than one whose account is empty.
    public var account: String?

    /// Further attributes, by name. `service` and `username` are no further ones.
    public var attributes: [String: String]

    /// A key.
    ///
    /// - Parameters:
    ///   - service: What the secret is for.
    ///   - account: Whose it is, or `nil`.
    ///   - attributes: Further attributes, by name.
    public init(service: String, account: String?, attributes: [String: String] = [:]) {
        self.service = service
        self.account = account
        self.attributes = attributes
    }
}

extension CredentialKey {
    /// Whether two keys have the same bytes, as stores compare them. Swift holds texts to be equal that are written in
    /// different ways, such as `é` and `e` with an accent.
    public static func == (left: Self, right: Self) -> Bool {
        areSame(left.service, right.service) && areSame(left.account, right.account)
            && left.attributes.count == right.attributes.count && left.contains(right.attributes)
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Array(service.utf8))
        hasher.combine(account.map { Array($0.utf8) })
        // In whatever order they come.
        var sum = 0
        for (name, value) in attributes {
            var attribute = Hasher()
            attribute.combine(Array(name.utf8))
            attribute.combine(Array(value.utf8))
            sum &+= attribute.finalize()
        }
        hasher.combine(sum)
    }

    /// The names that service and account have among the attributes.
    static let serviceName = "service"
    static let accountName = "username"

    /// Attributes that say who wrote an item, and nothing about what it is for: they do not count when keys are
    /// compared.
    static let writerMarks: Set<String> = ["xdg:schema", "application"]

    /// The key of all attributes of an item, service and account among them.
    init(allAttributes: [String: String]) {
        var others = allAttributes
        let service = others.removeValue(forKey: Self.serviceName)
        let account = others.removeValue(forKey: Self.accountName)
        self.init(service: service ?? "", account: account, attributes: others)
    }

    /// Service, account and the further attributes, all by their names.
    var allAttributes: [String: String] {
        var all = attributes
        if !service.isEmpty { all[Self.serviceName] = service }
        if let account { all[Self.accountName] = account }
        return all
    }

    /// Whether this is the same key but for attributes that name the writer.
    package func isSame(as other: CredentialKey) -> Bool {
        Self.areSame(service, other.service) && Self.areSame(account, other.account)
            && purpose.count == other.purpose.count && contains(other.purpose)
    }

    /// Whether two names have the same bytes: Swift holds texts to be equal that stores keep apart.
    private static func areSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.utf8.elementsEqual(right.utf8)
    }

    private var purpose: [String: String] { attributes.filter { !Self.writerMarks.contains($0.key) } }

    /// Whether an item with this key is meant by `question`: the same service and account, and each attribute that
    /// is asked for.
    func answers(_ question: CredentialKey) -> Bool {
        Self.areSame(service, question.service) && Self.areSame(account, question.account)
            && contains(question.attributes)
    }

    /// Whether each of the attributes is among this key's, service and account included.
    func matches(_ attributes: [String: String]) -> Bool {
        let all = allAttributes
        return attributes.allSatisfy { Self.areSame(all[$0.key], $0.value) }
    }

    private func contains(_ attributes: [String: String]) -> Bool {
        attributes.allSatisfy { Self.areSame(self.attributes[$0.key], $0.value) }
    }

    /// Throws unless an item can be stored under this key.
    func check() throws(KeychainError) {
        guard !service.isEmpty || !purpose.isEmpty else {
            throw .invalid("the service is empty; an item needs one, or other attributes to be found by")
        }
        guard attributes[Self.serviceName] == nil, attributes[Self.accountName] == nil else {
            throw .invalid("service and username are given twice: they are no further attributes")
        }
        for (name, value) in allAttributes {
            guard !name.isEmpty else { throw .invalid("an attribute has no name") }
            guard !name.utf8.contains(0), !value.utf8.contains(0) else {
                throw .invalid("a service, account or attribute contains a NUL character, which none can")
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
    /// The key for people, for instance `service=mail username=alice`.
    public var description: String {
        let pairs = [(Self.serviceName, service)] + (account.map { [(Self.accountName, $0)] } ?? [])
        return (pairs + attributes.sorted { $0.key < $1.key }).map { "\($0.0)=\($0.1)" }
            .joined(separator: " ")
    }
}
