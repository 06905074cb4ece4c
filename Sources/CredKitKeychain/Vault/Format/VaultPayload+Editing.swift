// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

// Changing.
extension VaultPayload {
    /// Returns a payload without items.
    static func empty() throws(KeychainError) -> VaultPayload {
        try VaultPayload(records: [], of: nil)
    }

    /// Returns the payload after all changes.
    ///
    /// Only changes with the same service and account can affect each other. They are applied in order to the items
    /// with that service and account, and all other records are copied. The time therefore does not grow with the
    /// product of changes and items.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - now: The time of the changes.
    ///   - keepsTimes: Whether stored items keep the times that they have, as imported ones do.
    /// - Returns: The payload.
    /// - Throws: ``KeychainError``.
    func applying(
        _ changes: [CredentialChange],
        at now: Date,
        keepsTimes: Bool = false
    ) throws(KeychainError) -> VaultPayload {
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
                for change in changes {
                    try Self.apply(change, to: &group, of: bytes, at: now, keepsTimes: keepsTimes)
                }
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
        var start = try Self.position(next, in: bytes)
        while next < end {
            let following =
                try next + 1 < count
                ? Self.position(next + 1, in: bytes) : VaultRecord.range(in: bytes, at: start).upperBound
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
        at now: Date,
        keepsTimes: Bool
    ) throws(KeychainError) {
        switch change {
        case .set(let credential):
            try set(credential, in: &group, of: bytes, at: now, keepsTimes: keepsTimes)
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
        at now: Date,
        keepsTimes: Bool
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
        var (created, modified) = (now, now)
        if let replaced = try VaultStore.chooseReplaced(key, among: items) {
            created = items[replaced].created ?? now
            // The existing item keeps its attributes that identify the writer, unless new ones are given.
            stored.item.key = items[replaced].key
            for mark in CredentialKey.writerMarks {
                if let value = key.attributes[mark] { stored.item.key.attributes[mark] = value }
            }
            records.remove(at: replaced)
        }
        if keepsTimes {
            created = credential.item.created ?? created
            modified = credential.item.modified ?? modified
        }
        let index = try partition(records.indices, of: bytes) { (index) throws(KeychainError) in
            try compare(VaultRecord.keyBytes(stored.item.key), withKeyOf: records[index], of: bytes) <= 0
        }
        records.insert(
            .new(try VaultRecord.encode(stored, created: created, modified: modified)),
            at: index
        )
    }

    static func prefix(_ key: CredentialKey) -> [UInt8] {
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

    private static func compare(
        _ key: [UInt8],
        withKeyOf record: Record,
        of bytes: Span<UInt8>
    ) throws(KeychainError) -> Int {
        try record.withBytes(of: bytes) { (record) throws(KeychainError) in
            try compare(key, withKeyAt: 0, of: record)
        }
    }
}
