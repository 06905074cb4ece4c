// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// All items of a vault with their secrets, in one block of guarded memory.
///
/// The records are not parsed in advance. They are sorted by their keys, after a table of their positions, so that an
/// item is found by binary search.
struct VaultPayload: Sendable {
    /// The size of the fields before the table of positions.
    static let prefixByteCount = 12
    /// Smaller payloads are padded to this size.
    static let minimumByteCount = 4096

    /// The decrypted bytes.
    let memory: SecretBytes
    /// The number of items.
    let count: Int

    /// Parses a decrypted payload.
    init(opened memory: SecretBytes) throws(KeychainError) {
        self.memory = memory
        count = try memory.withSecretBytes { (bytes) throws(KeychainError) in
            var reader = ByteReader()
            let contentByteCount = try reader.number(UInt64.self, of: bytes)
            let count = try Int(reader.number(UInt32.self, of: bytes))
            guard contentByteCount <= UInt64(bytes.count) else {
                throw .damaged("the vault is damaged: its items are cut short")
            }
            // Records that overlap would take much more time and memory than the file has bytes.
            var end = try reader.skip(count * 4, of: bytes).upperBound
            for index in 0..<count {
                let position = try Self.position(index, in: bytes)
                guard position >= end else {
                    throw .damaged("the vault is damaged: its items are not in order")
                }
                end = try VaultRecord.range(in: bytes, at: position).upperBound
            }
            return count
        }
    }

    /// Whether the memory is locked, so that none of it can reach the swap space.
    var isLocked: Bool { memory.isLocked }

    func credential(for key: CredentialKey) throws(KeychainError) -> Credential? {
        try memory.withSecretBytes { (bytes) throws(KeychainError) in
            guard VaultRecord.canHold(key.service), VaultRecord.canHold(key.account),
                let index = try index(of: key, in: bytes)
            else { return nil }
            return try credential(index, in: bytes)
        }
    }

    private func credential(_ index: Int, in bytes: Span<UInt8>) throws(KeychainError) -> Credential {
        let (item, secret) = try VaultRecord.decode(in: bytes, at: Self.position(index, in: bytes))
        do throws(SecretMemoryError) {
            let copy = try SecretBytes(capacity: secret.count) {
                $0.append(contentsOf: bytes.extracting(secret))
            }
            return Credential(item: item, secret: copy)
        } catch {
            throw .outOfMemory
        }
    }

    func items(service: String?) throws(KeychainError) -> [CredentialItem] {
        guard VaultRecord.canHold(service) else { return [] }
        return try memory.withSecretBytes { (bytes) throws(KeychainError) in
            let prefix = service.map { VaultRecord.prefix(service: $0) } ?? []
            var items: [CredentialItem] = []
            for index in try indices(withPrefix: prefix, in: bytes) {
                items.append(try VaultRecord.decode(in: bytes, at: Self.position(index, in: bytes)).item)
            }
            return items.sortedForPeople()
        }
    }

    func search(_ attributes: [String: String]) throws(KeychainError) -> [CredentialItem] {
        try items(service: attributes[CredentialKey.serviceName]).filter { $0.key.matches(attributes) }
    }

    /// All items with their secrets.
    func credentials() throws(KeychainError) -> [Credential] {
        try memory.withSecretBytes { (bytes) throws(KeychainError) in
            // Reads all records in order: a lookup takes longer the more items share a service and account.
            var all: [Credential] = []
            for index in 0..<count { all.append(try credential(index, in: bytes)) }
            return all
        }
    }

    /// Reads every record, and throws unless all are well-formed and in order.
    func verify() throws(KeychainError) {
        try memory.withSecretBytes { (bytes) throws(KeychainError) in
            var end = Self.prefixByteCount + count * 4
            var previous: [UInt8]?
            for index in 0..<count {
                let position = try Self.position(index, in: bytes)
                _ = try VaultRecord.decode(in: bytes, at: position)
                let key = try VaultRecord.keyRange(in: bytes, at: position).map { bytes[$0] }
                let isInOrder = previous.map { $0.lexicographicallyPrecedes(key) } ?? true
                guard position == end, isInOrder else {
                    throw .damaged("the vault is damaged: its items are not in order")
                }
                previous = key
                end = try VaultRecord.range(in: bytes, at: position).upperBound
            }
            var reader = ByteReader()
            let paddedByteCount = Padding.paddedByteCount(end, minimum: Self.minimumByteCount)
            guard try reader.number(UInt64.self, of: bytes) == UInt64(end), bytes.count == paddedByteCount
            else {
                throw .damaged("the vault is damaged: its items do not have the stated size")
            }
            for index in end..<bytes.count where bytes[index] != 0 {
                throw .damaged("the vault is damaged: data follows its items")
            }
        }
    }
}
