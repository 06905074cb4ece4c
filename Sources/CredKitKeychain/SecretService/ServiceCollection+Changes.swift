// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
internal import CredKit
internal import FoundationEssentials

extension ServiceCollection {
    /// The information that undoes a change.
    enum Undo {
        /// Nothing was changed.
        case nothing
        /// The change does not need to be undone.
        case never
        /// Delete the created item.
        case delete(place: String)
        /// Restore the secret and label of the item at its location, or create the item again.
        case restore(Credential)
    }

    /// Stores an item, and replaces the one with the same key if there is one.
    ///
    /// The service's own replace option is not used: gnome-keyring would also replace items that have further
    /// attributes.
    ///
    /// - Parameters:
    ///   - credential: The item and its secret.
    ///   - isUndone: Whether the change may have to be undone.
    /// - Returns: The information that undoes the change.
    /// - Throws: The error of the service.
    func set(_ credential: Credential, isUndone: Bool) throws(KeychainError) -> Undo {
        try refuseWhatIsLost(credential)
        let key = credential.item.key
        try refuseFieldsOfKeePassXC(key)
        try verifySession()
        let found = try settledItems(for: key)
        if let index = try SecretServiceClient.chooseReplaced(key, among: found) {
            let old = isUndone ? try self.credential(of: found[index]) : nil
            if try replace(found[index], with: credential) { return old.map(Undo.restore) ?? .never }
        }
        let place = try create(credential)
        try settle(place, credential)
        return .delete(place: place)
    }

    /// Deletes the item that matches a key.
    func delete(_ key: CredentialKey, isUndone: Bool) throws(KeychainError) -> Undo {
        let found = try candidates(for: key)
        guard let index = try SecretServiceClient.choose(key, among: found), let place = found[index].location
        else { return .nothing }
        let old = isUndone ? try credential(of: found[index]) : nil
        guard try delete(at: place) else { return .nothing }
        return old.map(Undo.restore) ?? .never
    }

    /// Undoes a change.
    func undo(_ change: Undo) throws(KeychainError) {
        switch change {
        case .nothing, .never: break
        case .delete(let place): _ = try delete(at: place)
        case .restore(let old):
            try verifySession()
            // The daemon may have assigned the path to another item.
            if let place = old.item.location, let now = try item(at: place), now.key == old.item.key,
                try replace(now, with: old)
            {
                break
            }
            _ = try create(old)
        }
    }

    /// Replaces the secret of an item, and its label if it differs.
    ///
    /// - Returns: Whether the item still exists.
    private func replace(_ old: CredentialItem, with new: Credential) throws(KeychainError) -> Bool {
        guard let place = old.location else { return false }
        try service.prepareChange()
        let sealed = try service.connection.seal(new.secret, contentType: new.sentContentType)
        do throws(ServiceFailure) {
            _ = try service.attempt(service.object(place, "Item"), "SetSecret", .tuple(sealed), answer: "()")
        } catch {
            guard error.isMissing else { throw error.error }
            return false
        }
        let label = schema.label(of: new.item)
        if label != old.label { try service.setProperty("Label", of: place, "Item", to: .string(label)) }
        return true
    }

    /// Creates an item without replacing another.
    ///
    /// - Returns: The object path of the item.
    private func create(_ credential: Credential) throws(KeychainError) -> String {
        let attributes = try schema.attributes(for: credential.item.key)
        return try create(credential, label: schema.label(of: credential.item), attributes: attributes)
    }

    /// Creates an item with attributes that have the names of the service.
    ///
    /// - Returns: The object path of the item.
    func create(
        _ credential: Credential,
        label: String,
        attributes: [String: String]
    ) throws(KeychainError) -> String {
        try service.prepareChange()
        let properties: [String: Variant] = [
            "org.freedesktop.Secret.Item.Label": .string(label),
            "org.freedesktop.Secret.Item.Attributes": .strings(attributes),
        ]
        let sealed = try service.connection.seal(credential.secret, contentType: credential.sentContentType)
        let arguments = Variant.tuple(.values(properties), sealed, .boolean(false))
        let answer = try service.ask(
            service.object(path, "Collection"),
            "CreateItem",
            arguments,
            answer: "(oo)"
        )
        let place = try service.finishCreating(answer[1].text)?.text ?? answer[0].text
        guard let place, place != "/" else { throw .failed("the Secret Service created no item") }
        return place
    }

    /// Throws if an attribute has the name of a field of KeePassXC's entries, which would overwrite the field or be lost.
    private func refuseFieldsOfKeePassXC(_ key: CredentialKey) throws(KeychainError) {
        guard let name = KeePassXC.fields.sorted().first(where: { key.attributes[$0] != nil }),
            try service.isKeePassXC()
        else { return }
        throw .invalid(
            "KeePassXC cannot store an attribute named '\(name)': its entries have a field of this name"
        )
    }

    /// Removes duplicates, if several items with the same key were created at the same time.
    ///
    /// All writers keep the same item, the first by time and path. A writer of another item stores its secret in the
    /// first and deletes its own item. The writer of the first item deletes the others, as if they had been created
    /// before it.
    private func settle(_ place: String, _ credential: Credential) throws(KeychainError) {
        let key = credential.item.key
        let same = try items(with: schema.query(for: key)).filter { $0.key.isSame(as: key) }
        let first = same.min {
            ($0.created?.timeIntervalSince1970 ?? 0, $0.location ?? "")
                < ($1.created?.timeIntervalSince1970 ?? 0, $1.location ?? "")
        }
        guard same.count > 1, let first else { return }
        if first.location == place {
            for other in same where other.location != place {
                if let other = other.location { _ = try delete(at: other) }
            }
        } else {
            // If the first item has been deleted meanwhile, this one remains.
            if try replace(first, with: credential) { _ = try delete(at: place) }
        }
    }

    /// Throws if gnome-keyring would lose or change the secret.
    ///
    /// It stores a collection without a password in a text file, and does not quote secrets that are text. When the
    /// daemon starts the next time, a line feed has deleted the whole collection, a backslash is interpreted as an
    /// escape, and leading white space is removed (observed).
    private func refuseWhatIsLost(_ credential: Credential) throws(KeychainError) {
        let isAtRisk = credential.secret.withSecretBytes { bytes in
            // Bytes that are not text, or contain a NUL, are written as hexadecimal digits.
            guard !bytes.isEmpty, !bytes.indices.contains(where: { bytes[$0] == 0 }),
                (try? UTF8Span(validating: bytes)) != nil
            else { return false }
            let blank: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C, UInt8(ascii: "\r")]
            return blank.contains(bytes[0]) || bytes[bytes.count - 1] == UInt8(ascii: "\r")
                || bytes.indices.contains {
                    bytes[$0] == UInt8(ascii: "\n") || bytes[$0] == UInt8(ascii: "\\")
                }
        }
        guard isAtRisk, try hasNoPassword() == true else { return }
        throw .invalid(
            "cannot store the secret: the keyring at \(path) has no password, and gnome-keyring stores such a keyring "
                + "in a text file that loses secrets with line feeds or backslashes, or with white space at their "
                + "beginning. Give the keyring a password, or encode the secret, for example as Base64"
        )
    }
}
#endif
