// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// The encoding of an item in a vault.
enum VaultRecord {
    /// Returns the beginning of the keys of all items with a service and an account.
    static func prefix(service: String, account: String?) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(text: service)
        writer.write(number: UInt8(account == nil ? 0 : 1))
        if let account { writer.write(text: account) }
        return writer.bytes
    }

    static func prefix(service: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(text: service)
        return writer.bytes
    }

    /// Returns whether a text is short enough for a record. Queries are not checked like stored items.
    static func canHold(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= Int(UInt16.max) }

    /// Returns the bytes of a key, by which records are sorted.
    static func keyBytes(_ key: CredentialKey) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(prefix(service: key.service, account: key.account))
        writer.write(number: UInt16(key.attributes.count))
        let attributes = key.attributes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (name, value) in attributes {
            writer.write(text: name)
            writer.write(text: value)
        }
        return writer.bytes
    }

    /// Encodes an item and its secret. Throws ``KeychainError/invalid`` for a time outside the years 1 to 9999.
    static func encode(
        _ credential: Credential,
        created: Date,
        modified: Date
    ) throws(KeychainError) -> SecretBytes {
        let item = credential.item
        let key = keyBytes(item.key)
        var body = ByteWriter()
        body.write(number: UInt32(key.count))
        body.write(key)
        body.write(text: item.label)
        body.write(text: item.contentType)
        body.write(number: try milliseconds(created))
        body.write(number: try milliseconds(modified))
        body.write(number: UInt32(credential.secret.count))
        var start = ByteWriter()
        start.write(number: UInt32(body.bytes.count + credential.secret.count))
        start.write(body.bytes)
        do throws(SecretMemoryError) {
            return try SecretBytes(capacity: start.bytes.count + credential.secret.count) { output in
                output.append(contentsOf: start.bytes.span)
                credential.secret.withSecretBytes { output.append(contentsOf: $0) }
            }
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the positions of a record's key in its payload.
    static func keyRange(in bytes: Span<UInt8>, at position: Int) throws(KeychainError) -> Range<Int> {
        var reader = ByteReader(at: position)
        _ = try reader.skip(4, of: bytes)
        return try reader.skip(Int(reader.number(UInt32.self, of: bytes)), of: bytes)
    }

    /// Returns the positions of a whole record.
    static func range(in bytes: Span<UInt8>, at position: Int) throws(KeychainError) -> Range<Int> {
        var reader = ByteReader(at: position)
        let count = try Int(reader.number(UInt32.self, of: bytes))
        return try position..<reader.skip(count, of: bytes).upperBound
    }

    /// Decodes the item of a record, and returns it with the positions of its secret.
    static func decode(
        in payload: Span<UInt8>,
        at position: Int
    ) throws(KeychainError) -> (item: CredentialItem, secret: Range<Int>) {
        let range = try range(in: payload, at: position)
        let keyRange = try keyRange(in: payload, at: position)
        let bytes = payload.extracting(..<range.upperBound)
        var reader = ByteReader(at: keyRange.lowerBound)
        let service = try reader.text(of: bytes)
        let hasAccount = try reader.number(UInt8.self, of: bytes)
        let account: String? = hasAccount == 0 ? nil : try reader.text(of: bytes)
        var attributes: [String: String] = [:]
        var previous: String?
        var isInOrder = true
        let attributeCount = try reader.number(UInt16.self, of: bytes)
        for _ in 0..<attributeCount {
            let name = try reader.text(of: bytes)
            isInOrder = isInOrder && previous?.utf8.lexicographicallyPrecedes(name.utf8) ?? true
            attributes[name] = try reader.text(of: bytes)
            previous = name
        }
        // Two names may be equal as strings though their bytes differ.
        guard reader.position == keyRange.upperBound, hasAccount <= 1, isInOrder,
            attributes.count == attributeCount
        else {
            throw .damaged("the vault is damaged: an item's key is malformed")
        }
        let label = try reader.text(of: bytes)
        let contentType = try reader.text(of: bytes)
        var item = CredentialItem(
            key: CredentialKey(service: service, account: account, attributes: attributes),
            label: label,
            contentType: contentType
        )
        item.created = try date(reader.number(of: bytes))
        item.modified = try date(reader.number(of: bytes))
        let secret = try reader.skip(Int(reader.number(UInt32.self, of: bytes)), of: bytes)
        guard secret.upperBound == range.upperBound else {
            throw .damaged("the vault is damaged: an item's size is wrong")
        }
        return (item, secret)
    }

    private static func milliseconds(_ date: Date) throws(KeychainError) -> Int64 {
        guard let milliseconds = Timestamp.milliseconds(date) else {
            throw .invalid("a time of an item is outside the years 1 to 9999")
        }
        return Int64(milliseconds)
    }

    private static func date(_ milliseconds: Int64) throws(KeychainError) -> Date {
        guard let date = Timestamp.date(milliseconds: Int(milliseconds)) else {
            throw .damaged("the vault is damaged: a time of an item is outside the years 1 to 9999")
        }
        return date
    }
}

extension OutputSpan<UInt8> {
    /// Appends all bytes of a span, which must fit.
    mutating func append(contentsOf bytes: Span<UInt8>) {
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe bytes.withUnsafeBufferPointer { source in
                let target = unsafe UnsafeMutableBufferPointer(
                    rebasing: buffer[count..<(count + source.count)]
                )
                _ = unsafe target.initialize(fromContentsOf: source)
            }
            count += bytes.count
        }
    }
}
