// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

// Binary search.
extension VaultPayload {
    static func position(_ index: Int, in bytes: Span<UInt8>) throws(KeychainError) -> Int {
        let start = Self.prefixByteCount + index * 4
        guard start <= bytes.count - 4 else {
            throw .damaged("the vault is damaged: a part of it is missing")
        }
        return Int(bytes[start]) | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2]) << 16
            | Int(bytes[start + 3]) << 24
    }

    func index(of key: CredentialKey, in bytes: Span<UInt8>) throws(KeychainError) -> Int? {
        var candidates: [(index: Int, item: CredentialItem)] = []
        for index in try indices(withPrefix: Self.prefix(key), in: bytes) {
            let item = try VaultRecord.decode(in: bytes, at: Self.position(index, in: bytes)).item
            if item.key.answers(key) { candidates.append((index, item)) }
        }
        return try VaultStore.choose(key, among: candidates.map(\.item)).map { candidates[$0].index }
    }

    /// Returns the items whose keys begin with given bytes.
    func indices(withPrefix prefix: [UInt8], in bytes: Span<UInt8>) throws(KeychainError) -> Range<
        Int
    > {
        let start = try Self.partition(0..<count, of: bytes) { (index) throws(KeychainError) in
            try Self.compare(prefix, withKeyAt: Self.position(index, in: bytes), of: bytes) <= 0
        }
        let end = try Self.partition(start..<count, of: bytes) { (index) throws(KeychainError) in
            let position = try Self.position(index, in: bytes)
            return try !Self.hasPrefix(prefix, keyAt: position, of: bytes)
        }
        return start..<end
    }

    /// Returns the first index from which `isBehind` holds.
    static func partition(
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

    /// Compares a key with a record's key: less than 0, 0, or more than 0 if it is before, equal, or after.
    static func compare(
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
