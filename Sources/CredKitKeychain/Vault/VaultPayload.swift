// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// All items of a vault with their secrets, in one block of guarded memory.
///
/// The records are not parsed in advance. They are sorted by their keys, after a table of their positions, so that an
/// item is found by binary search.
struct VaultPayload: Sendable {
    /// The size of the fields before the table of positions.
    private static let prefixByteCount = 12
    /// Smaller payloads are padded to this size.
    private static let minimumByteCount = 4096

    private let memory: SecretBytes
    /// The number of items.
    let count: Int

    /// Returns a payload without items.
    static func empty() throws(KeychainError) -> VaultPayload {
        try VaultPayload(records: [], of: nil)
    }

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
            _ = try reader.skip(count * 4, of: bytes)
            return count
        }
    }

    /// The bytes to encrypt.
    var plaintext: SecretBytes { memory }

    /// Whether the memory is locked, so that none of it can reach the swap space.
    var isLocked: Bool { memory.isLocked }

    // MARK: Reading

    func credential(for key: CredentialKey) throws(KeychainError) -> Credential? {
        try memory.withSecretBytes { (bytes) throws(KeychainError) in
            guard VaultRecord.canHold(key.service), VaultRecord.canHold(key.account),
                let index = try index(of: key, in: bytes)
            else { return nil }
            return try credential(index, in: bytes)
        }
    }

    private func credential(_ index: Int, in bytes: Span<UInt8>) throws(KeychainError) -> Credential {
        let (item, secret) = try VaultRecord.decode(in: bytes, at: position(index, in: bytes))
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
                items.append(try VaultRecord.decode(in: bytes, at: position(index, in: bytes)).item)
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
                let position = try position(index, in: bytes)
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

    // MARK: Changing

    /// Returns the payload after all changes.
    ///
    /// Only changes with the same service and account can affect each other. They are applied in order to the items
    /// with that service and account, and all other records are copied. The time therefore does not grow with the
    /// product of changes and items.
    func applying(_ changes: [CredentialChange], at now: Date) throws(KeychainError) -> VaultPayload {
        try memory.withSecretBytes { (bytes) throws(KeychainError) in
            var groups: [[UInt8]: [CredentialChange]] = [:]
            for change in changes {
                if case .set(let credential) = change { try credential.check() }
                let key = change.key
                guard VaultRecord.canHold(key.service), VaultRecord.canHold(key.account) else { continue }
                groups[Self.prefix(key), default: []].append(change)
            }
            var records: [Record] = []
            records.reserveCapacity(count + changes.count)
            var next = 0
            for (prefix, changes) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                let range = try indices(withPrefix: prefix, in: bytes)
                try append(to: range.lowerBound, from: &next, to: &records, of: bytes)
                var group: [Record] = []
                try append(to: range.upperBound, from: &next, to: &group, of: bytes)
                for change in changes { try Self.apply(change, to: &group, of: bytes, at: now) }
                records += group
            }
            try append(to: count, from: &next, to: &records, of: bytes)
            return try VaultPayload(records: records, of: bytes)
        }
    }

    /// Appends the records up to an index unchanged. Each record directly follows the one before it.
    private func append(
        to end: Int,
        from next: inout Int,
        to records: inout [Record],
        of bytes: Span<UInt8>
    ) throws(KeychainError) {
        guard next < end else { return }
        var start = try position(next, in: bytes)
        while next < end {
            let following =
                try next + 1 < count
                ? position(next + 1, in: bytes) : VaultRecord.range(in: bytes, at: start).upperBound
            guard start <= following, following <= bytes.count else {
                throw .damaged("the vault is damaged: its items are not in order")
            }
            records.append(.old(start..<following))
            start = following
            next += 1
        }
    }

    /// Makes a change among the records of its service and account.
    private static func apply(
        _ change: CredentialChange,
        to group: inout [Record],
        of bytes: Span<UInt8>,
        at now: Date
    ) throws(KeychainError) {
        switch change {
        case .set(let credential): try set(credential, in: &group, of: bytes, at: now)
        case .delete(let key):
            if let index = try index(of: key, in: group, of: bytes) { group.remove(at: index) }
        }
    }

    /// A record of the original payload, or a new one.
    private enum Record {
        case old(Range<Int>)
        case new(SecretBytes)

        func withBytes<Value>(
            of payload: Span<UInt8>,
            _ body: (Span<UInt8>) throws(KeychainError) -> Value
        ) throws(KeychainError) -> Value {
            switch self {
            case .old(let range): try body(payload.extracting(range))
            case .new(let record): try record.withSecretBytes(body)
            }
        }

        var count: Int {
            switch self {
            case .old(let range): range.count
            case .new(let record): record.count
            }
        }
    }

    private static func set(
        _ credential: Credential,
        in records: inout [Record],
        of bytes: Span<UInt8>,
        at now: Date
    ) throws(KeychainError) {
        let key = credential.item.key
        var items: [CredentialItem] = []
        for index in records.indices {
            items.append(
                try records[index].withBytes(of: bytes) { (record) throws(KeychainError) in
                    try VaultRecord.decode(in: record, at: 0).item
                }
            )
        }
        var stored = credential
        var created = now
        if let replaced = try VaultStore.chooseReplaced(key, among: items) {
            created = items[replaced].created ?? now
            // The existing item keeps its attributes that identify the writer.
            stored.item.key = items[replaced].key
            records[replaced] = .new(
                try VaultRecord.encode(stored, created: created, modified: now)
            )
        } else {
            let index = try partition(records.indices, of: bytes) { (index) throws(KeychainError) in
                try compare(VaultRecord.keyBytes(key), withKeyOf: records[index], of: bytes) <= 0
            }
            records.insert(
                .new(try VaultRecord.encode(stored, created: created, modified: now)),
                at: index
            )
        }
    }

    private static func prefix(_ key: CredentialKey) -> [UInt8] {
        VaultRecord.prefix(service: key.service, account: key.account)
    }

    private static func index(
        of key: CredentialKey,
        in records: [Record],
        of bytes: Span<UInt8>
    ) throws(KeychainError) -> Int? {
        var candidates: [(index: Int, item: CredentialItem)] = []
        for index in records.indices {
            let item = try records[index].withBytes(of: bytes) { (record) throws(KeychainError) in
                try VaultRecord.decode(in: record, at: 0).item
            }
            if item.key.answers(key) { candidates.append((index, item)) }
        }
        return try VaultStore.choose(key, among: candidates.map(\.item)).map { candidates[$0].index }
    }

    /// Creates a payload from records that are sorted by their keys.
    private init(records: [Record], of bytes: Span<UInt8>?) throws(KeychainError) {
        let tableEnd = Self.prefixByteCount + records.count * 4
        let contentByteCount = records.reduce(tableEnd) { $0 + $1.count }
        let capacity = Padding.paddedByteCount(contentByteCount, minimum: Self.minimumByteCount)
        guard capacity + VaultLimits.headerByteCount <= VaultLimits.fileByteCount else {
            throw .overLimit("a vault holds at most \(VaultLimits.fileByteCount >> 20) MiB")
        }
        var table = ByteWriter()
        table.write(number: UInt64(contentByteCount))
        table.write(number: UInt32(records.count))
        var position = tableEnd
        for record in records {
            table.write(number: UInt32(position))
            position += record.count
        }
        do throws(SecretMemoryError) {
            memory = try SecretBytes(capacity: capacity) { output in
                output.append(contentsOf: table.bytes.span)
                for record in records {
                    switch record {
                    case .old(let range):
                        if let bytes { output.append(contentsOf: bytes.extracting(range)) }
                    case .new(let record): record.withSecretBytes { output.append(contentsOf: $0) }
                    }
                }
                output.append(repeating: 0, count: capacity - output.count)
            }
        } catch {
            throw .outOfMemory
        }
        count = records.count
    }
}

// Binary search.
extension VaultPayload {
    private func position(_ index: Int, in bytes: Span<UInt8>) throws(KeychainError) -> Int {
        let start = Self.prefixByteCount + index * 4
        guard start <= bytes.count - 4 else {
            throw .damaged("the vault is damaged: a part of it is missing")
        }
        return Int(bytes[start]) | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2]) << 16
            | Int(bytes[start + 3]) << 24
    }

    private func index(of key: CredentialKey, in bytes: Span<UInt8>) throws(KeychainError) -> Int? {
        var candidates: [(index: Int, item: CredentialItem)] = []
        for index in try indices(withPrefix: Self.prefix(key), in: bytes) {
            let item = try VaultRecord.decode(in: bytes, at: position(index, in: bytes)).item
            if item.key.answers(key) { candidates.append((index, item)) }
        }
        return try VaultStore.choose(key, among: candidates.map(\.item)).map { candidates[$0].index }
    }

    /// Returns the items whose keys begin with given bytes.
    private func indices(withPrefix prefix: [UInt8], in bytes: Span<UInt8>) throws(KeychainError) -> Range<
        Int
    > {
        let start = try Self.partition(0..<count, of: bytes) { (index) throws(KeychainError) in
            try Self.compare(prefix, withKeyAt: position(index, in: bytes), of: bytes) <= 0
        }
        let end = try Self.partition(start..<count, of: bytes) { (index) throws(KeychainError) in
            let position = try position(index, in: bytes)
            return try !Self.hasPrefix(prefix, keyAt: position, of: bytes)
        }
        return start..<end
    }

    /// Returns the first index from which `isBehind` holds.
    private static func partition(
        _ range: Range<Int>,
        of bytes: Span<UInt8>,
        where isBehind: (Int) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> Int {
        var range = range
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = try isBehind(middle) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return range.lowerBound
    }

    private static func compare(
        _ key: [UInt8],
        withKeyOf record: Record,
        of bytes: Span<UInt8>
    ) throws(KeychainError) -> Int {
        try record.withBytes(of: bytes) { (record) throws(KeychainError) in
            try compare(key, withKeyAt: 0, of: record)
        }
    }

    /// Compares a key with a record's key: less than 0, 0, or more than 0 if it is before, equal, or after.
    private static func compare(
        _ key: [UInt8],
        withKeyAt position: Int,
        of bytes: Span<UInt8>
    ) throws(KeychainError) -> Int {
        let other = try VaultRecord.keyRange(in: bytes, at: position)
        for (index, otherIndex) in zip(key.indices, other) where key[index] != bytes[otherIndex] {
            return Int(key[index]) - Int(bytes[otherIndex])
        }
        return key.count - other.count
    }

    private static func hasPrefix(
        _ prefix: [UInt8],
        keyAt position: Int,
        of bytes: Span<UInt8>
    ) throws(KeychainError) -> Bool {
        let key = try VaultRecord.keyRange(in: bytes, at: position)
        guard key.count >= prefix.count else { return false }
        return zip(prefix.indices, key).allSatisfy { prefix[$0] == bytes[$1] }
    }
}
