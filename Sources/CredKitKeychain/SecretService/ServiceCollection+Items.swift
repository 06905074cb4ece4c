// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import FoundationEssentials
internal import Glibc

extension ServiceCollection {
    /// Returns the items of the collection that have all of the attributes, which have the names of the service.
    func items(with attributes: [String: String]) throws(KeychainError) -> [CredentialItem] {
        // No attribute contains a NUL, and D-Bus cannot transmit one.
        if attributes.contains(where: { $0.key.utf8.contains(0) || $0.value.utf8.contains(0) }) { return [] }
        let paths =
            if attributes.isEmpty {
                try service.properties(of: path, "Collection")?["Items"]?.texts ?? []
            } else {
                try service.ask(
                    service.object(path, "Collection"),
                    "SearchItems",
                    .tuple(.strings(attributes)),
                    answer: "(ao)"
                )[0].texts
            }
        guard paths.count <= StoreLimits.listedItemCount else {
            throw .overLimit(
                "the Secret Service lists \(paths.count) items; at most \(StoreLimits.listedItemCount) are read"
            )
        }
        var items: [CredentialItem] = []
        for path in paths {
            guard path.utf8.starts(with: (self.path + "/").utf8) else {
                throw .failed("the Secret Service listed an object that is not in the collection")
            }
            if let item = try item(at: path) { items.append(item) }
        }
        return items
    }

    /// Returns the items that match a key; they may have further attributes.
    func candidates(for key: CredentialKey) throws(KeychainError) -> [CredentialItem] {
        try settledItems(for: key).filter { $0.key.answers(key) }
    }

    /// Returns the items that a search for a key finds. If several writers are creating the same item, it first waits
    /// until they have agreed on one; see ``settle(_:_:)``.
    func settledItems(for key: CredentialKey) throws(KeychainError) -> [CredentialItem] {
        let query = try schema.query(for: key)
        for _ in 0..<50 {
            let items = try items(with: query)
            guard Self.areBeingSettled(items) else { return items }
            usleep(10_000)
        }
        return try items(with: query)
    }

    /// Returns whether there are items with the same key that are at most a few seconds old.
    private static func areBeingSettled(_ items: [CredentialItem]) -> Bool {
        guard items.count > 1 else { return false }
        var keys: Set<CredentialKey> = []
        for item in items where abs(item.created?.timeIntervalSinceNow ?? -.infinity) < 3 {
            var key = item.key
            key.attributes = key.attributes.filter { !CredentialKey.writerMarks.contains($0.key) }
            if !keys.insert(key).inserted { return true }
        }
        return false
    }

    /// Returns an item without its secret; `nil` if it has been deleted meanwhile.
    func item(at path: String) throws(KeychainError) -> CredentialItem? {
        guard let properties = try service.properties(of: path, "Item") else { return nil }
        let attributes = properties["Attributes"]?.dictionary.compactMapValues(\.text) ?? [:]
        var key = schema.key(for: attributes)
        KeePassXC.removeFields(from: &key, at: path)
        var item = CredentialItem(key: key, label: properties["Label"]?.text ?? "")
        item.created = Self.date(properties["Created"])
        item.modified = Self.date(properties["Modified"])
        item.location = path
        return item
    }

    private static func date(_ seconds: Variant?) -> Date? {
        guard let seconds = seconds?.number, seconds > 0 else { return nil }
        return Timestamp.date(seconds: seconds)
    }

    /// Returns an item with its secret; `nil` if it has been deleted meanwhile.
    func credential(of item: CredentialItem) throws(KeychainError) -> Credential? {
        guard let place = item.location else { return nil }
        let sealed: Variant
        do throws(ServiceFailure) {
            sealed = try secret(at: place)
        } catch {
            if error.isMissing { return nil }
            guard error.isLocked else { throw error.error }
            // Some services lock items individually: KeePassXC asks before it reveals one to another program.
            try service.unlock(place, asksFor: "confirmation before it reveals an item")
            do throws(ServiceFailure) { sealed = try secret(at: place) } catch { throw error.error }
        }
        let opened = try service.connection.open(sealed)
        var item = item
        item.contentType = opened.contentType
        return Credential(item: item, secret: opened.secret)
    }

    private func secret(at path: String) throws(ServiceFailure) -> Variant {
        let session = Variant.objectPath(service.connection.session)
        return try service.attempt(
            service.object(path, "Item"),
            "GetSecret",
            .tuple(session),
            answer: "((oayays))"
        )[0]
    }

    /// Deletes the item at a path.
    ///
    /// - Returns: Whether the item existed.
    func delete(at path: String) throws(KeychainError) -> Bool {
        try service.prepareChange()
        let prompt: String?
        do throws(ServiceFailure) {
            prompt = try service.attempt(service.object(path, "Item"), "Delete", nil, answer: "(o)")[0].text
        } catch {
            guard error.isMissing else { throw error.error }
            return false
        }
        _ = try service.finish(prompt, asksFor: "confirmation before it deletes an item")
        return true
    }
}
#endif
