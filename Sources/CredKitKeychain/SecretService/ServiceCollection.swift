// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

#if SecretService
/// The store's collection of a Secret Service during one operation.
struct ServiceCollection {
    let service: ServiceCalls
    let schema: SecretServiceSchema
    /// The object path.
    let path: String

    private init(service: ServiceCalls, schema: SecretServiceSchema, path: String) {
        self.service = service
        self.schema = schema
        self.path = path
    }

    /// Finds a collection by name, which asks the service.
    ///
    /// - Parameters:
    ///   - name: An alias, a label or the last part of an object path; `nil` for the default collection.
    ///   - service: The service that is searched.
    ///   - schema: The attributes by which items are found.
    /// - Returns: The collection.
    /// - Throws: ``KeychainError/noDefaultCollection`` if there is none, ``KeychainError/ambiguous`` if there are several.
    static func find(
        _ name: String?,
        in service: ServiceCalls,
        schema: SecretServiceSchema
    ) throws(KeychainError) -> ServiceCollection {
        let path: String
        if let name, !name.utf8.contains(0) {
            path = try Self.path(of: name, in: service)
        } else if name == nil, let found = try service.collection(alias: "default") {
            path = found
        } else {
            throw missing(name)
        }
        return ServiceCollection(service: service, schema: schema, path: path)
    }

    private static func path(of name: String, in service: ServiceCalls) throws(KeychainError) -> String {
        if let found = try service.collection(alias: name) { return found }
        let all = try service.collections()
        let matches = all.filter { path, properties in
            [properties["Label"]?.text, lastPart(of: path)].contains {
                $0?.utf8.elementsEqual(name.utf8) ?? false
            }
        }
        guard let match = matches.first else { throw missing(name) }
        guard matches.count == 1 else {
            throw .ambiguous(
                "\(matches.count) collections of the Secret Service are called '\(name)'. Name one by the last part of "
                    + "its path",
                candidates: matches.keys.sorted()
            )
        }
        return match.key
    }

    static func lastPart(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    func lock() throws(KeychainError) {
        guard try service.properties(of: path, "Collection") != nil else { throw Self.missing(nil) }
        let answer = try service.ask(service.root, "Lock", .tuple(.paths([path])), answer: "(aoo)")
        _ = try service.finish(answer[1].text, asksFor: "confirmation before it locks a collection")
    }

    /// Unlocks the collection if it is locked.
    ///
    /// A service may reveal nothing about a locked collection (KeePassXC finds no items then), so that no query can be
    /// answered before.
    func ensureUnlocked() throws(KeychainError) {
        guard let properties = try service.properties(of: path, "Collection") else { throw Self.missing(nil) }
        if properties["Locked"]?.isTrue == true { try service.unlock(path) }
    }

    /// Returns whether the collection has no password; `nil` if this cannot be determined.
    func hasNoPassword() throws(KeychainError) -> Bool? {
        guard let process = try service.processNumber() else { return nil }
        return KeyringFile.hasNoPassword(collection: path, process: process)
    }

    static func missing(_ name: String?) -> KeychainError {
        let which = name.map { "no collection '\($0)'" } ?? "no default collection"
        return .noDefaultCollection(
            "the Secret Service has \(which). Create a keyring (in Seahorse, \"Passwords and Keys\"; on a desktop, by "
                + "logging in with a password), name one of those that are there, or use the vault "
                + "(credkit keychain --backend vault)"
        )
    }
}
#endif
