// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Gathers the items of entries. Entries with equal names are numbered; an entry that is equal in all is a duplicate.
struct ImportCollector {
    private(set) var result = PasswordImport([])
    private var keys: Set<CredentialKey> = []
    private var entryKeys: Set<CredentialKey> = []
    private var numbers: [CredentialKey: Int] = [:]
    private var digests: Set<[UInt8]> = []
    private var counts: [CredentialKey: Int] = [:]
    private var entryCount = 0

    /// Adds what could not be read at all.
    mutating func fail(_ entry: String, _ detail: String) {
        result.failureCount += 1
        note(TransferLoss(entry: EntryText.shortened(entry), field: "", detail: detail, isFailure: true))
    }

    /// Adds what an entry does not keep.
    mutating func leaveOut(_ entry: String, _ field: String, _ detail: String) {
        note(TransferLoss(entry: EntryText.shortened(entry), field: field, detail: detail))
    }

    private mutating func note(_ loss: TransferLoss) {
        guard result.losses.count < TransferLimits.lossCount else {
            result.unlistedLossCount += 1
            return
        }
        result.losses.append(loss)
    }

    mutating func add(_ entry: PasswordEntry) throws(KeychainError) {
        entryCount += 1
        guard entryCount <= TransferLimits.entryCount else {
            throw .overLimit("the file has more than \(TransferLimits.entryCount) entries")
        }
        let name = entry.name
        for property in entry.leftOut {
            var loss = TransferLoss(
                entry: EntryText.shortened(name),
                field: property.field,
                detail: property.detail,
                isKept: property.isKept,
                isFailure: property.isFailure
            )
            loss.kind = EntryText.shortened(property.kind)
            note(loss)
        }
        var items = try entry.items()
        do throws(KeychainError) {
            for item in items { try item.credential.check() }
        } catch {
            return fail(name, "not imported: \(error)")
        }
        if entry.leftOut.contains(where: \.isFailure) { result.failureCount += 1 }
        if entry.marker != nil,
            EntryMarker.item(entry.marker ?? items[0].credential.secret)?.key != entryKey(items[0])
        {
            leaveOut(name, EntryMarker.name, "ignored: it does not agree with the entry, which was changed")
        }
        guard digests.insert(try Self.digest(items.map(\.credential))).inserted else {
            return leaveOut(name, "", "left out: an equal entry is in the file already")
        }
        let key = entryKey(items[0])
        // Two entries with other parts each would otherwise become one when they are exported.
        while entryKeys.contains(entryKey(items[0]))
            || items.contains(where: { keys.contains($0.credential.item.key) })
        {
            let number = numbers[key, default: 1] + 1
            numbers[key] = number
            items = try entry.items(number: number)
        }
        entryKeys.insert(entryKey(items[0]))
        for (_, credential) in items {
            let item = credential.item
            keys.insert(item.key)
            let group = CredentialKey(service: item.service, account: item.account)
            counts[group, default: 0] += 1
            guard counts[group, default: 0] <= TransferLimits.equalCount else {
                throw .overLimit(
                    "more than \(TransferLimits.equalCount) items have the same service and account; nothing was imported"
                )
            }
            result.credentials.append(credential)
        }
        guard result.credentials.count <= TransferLimits.entryCount else {
            throw .overLimit("the file has more than \(TransferLimits.entryCount) items")
        }
    }

    private func entryKey(_ item: (part: EntryPart, credential: Credential)) -> CredentialKey {
        var key = item.credential.item.key
        key.service = String(
            decoding: key.service.utf8.dropFirst(item.part.servicePrefix.utf8.count),
            as: UTF8.self
        )
        key.attributes[CredentialKey.purposeName] = nil
        if case .field = item.part {
            key.attributes[EntryPart.fieldName] = nil
            key.attributes[EntryPart.numberName] = nil
        }
        return key
    }

    /// Returns a digest of all that the items of an entry consist of.
    private static func digest(_ credentials: [Credential]) throws(KeychainError) -> [UInt8] {
        var text: [UInt8] = []
        for credential in credentials {
            text += SHA256.hash(data: EntryMarker.text(credential.item))
            text += SHA256.hash(secret: credential.secret)
        }
        return Array(SHA256.hash(data: text))
    }
}

/// What the entries of a file of another program may consist of together. A small file can have many small parts, each of
/// which takes a multiple of its size in memory.
struct ImportBudget {
    private var entryCount = 0
    private var partCount = 0
    private var folderByteCount = 0

    /// Takes an entry that was read.
    ///
    /// - Parameter entry: The entry.
    /// - Throws: ``KeychainError/overLimit`` if the entries are too many, or consist of too much.
    mutating func take(_ entry: PasswordEntry) throws(KeychainError) {
        entryCount += 1
        guard entryCount <= TransferLimits.entryCount else {
            throw .overLimit("the file has more than \(TransferLimits.entryCount) entries")
        }
        partCount += 1 + entry.fields.count
        guard partCount <= TransferLimits.partCount else {
            throw .overLimit("the entries of the file have more than \(TransferLimits.partCount) fields")
        }
        if let folder = entry.folder { try take(folder: folder) }
    }

    /// Takes the folder of an entry, whose name becomes a part of each of its items.
    mutating func take(folder: String) throws(KeychainError) {
        folderByteCount += folder.utf8.count
        guard folderByteCount <= TransferLimits.folderByteCount else {
            throw .overLimit(
                "the folders of all entries have names of more than \(TransferLimits.folderByteCount >> 20) MiB"
            )
        }
    }
}
