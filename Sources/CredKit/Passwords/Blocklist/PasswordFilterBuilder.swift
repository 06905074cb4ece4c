// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Makes a filter file of words, in the format of passwdqc's `pwqfilter`, which can read it.
///
/// ```swift
/// var filter = try PasswordFilterBuilder(wordCount: 10_000_000)
/// for word in words { try filter.insert(word) }
/// try filter.write(toNewFile: "/var/lib/example/common.filter")
/// ```
///
/// A filter takes some 4 bytes for each word, in memory while it is made and as a file. It is a cuckoo filter (Fan, Andersen,
/// Kaminsky and Mitzenmacher, 2014): of each word it keeps 33 to 64 bits of a hash in one of two places.
public struct PasswordFilterBuilder: ~Copyable {
    /// The number of fingerprints that are moved for one word before a bucket takes one more.
    private static let maximumKicks = 40
    /// The number of fingerprints that are moved for one word in full buckets, before the filter is full.
    private static let maximumLastKicks = 100_000

    private let table: FilterTable
    private let function: PasswordBlocklist.HashFunction
    /// The state of the random choices, which need not be unpredictable. The same words make the same filter.
    private var choice: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Creates an empty filter.
    ///
    /// - Parameters:
    ///   - wordCount: The maximum number of different words. A filter for more has more memory, and is filled to 95 %.
    ///   - function: The hash function of the words. A filter of hashes (`sha1`, `ntlm`) does not record it.
    /// - Throws: ``PasswordError/overLimit`` for more than 16 billion words, ``PasswordError/outOfMemory``.
    public init(
        wordCount: Int,
        hashedWith function: PasswordBlocklist.HashFunction = .md4
    ) throws(PasswordError) {
        // In small filters the words are spread less evenly.
        let (spare, overflows) = max(0, wordCount).addingReportingOverflow(max(0, wordCount) / 19 + 61)
        try self.init(capacity: overflows ? .max : spare, hashedWith: function)
    }

    /// Creates an empty filter of a certain size.
    ///
    /// - Parameters:
    ///   - capacity: The number of words that would fill the filter completely, which they never do: 98 % of it are the
    ///     most. It is rounded up to a multiple of 4. `pwqfilter --create` has the same number.
    ///   - function: The hash function of the words.
    /// - Throws: ``PasswordError/overLimit``, ``PasswordError/outOfMemory``.
    public init(
        capacity: Int,
        hashedWith function: PasswordBlocklist.HashFunction = .md4
    ) throws(PasswordError) {
        let bucketCount = max(1, capacity / 4 + (capacity % 4 > 0 ? 1 : 0))
        guard bucketCount <= FilterHeader.maximumBucketCount else {
            throw .overLimit("a filter has at most \(FilterHeader.maximumBucketCount * 4) places")
        }
        table = try FilterTable(
            FilterHeader(bucketCount: bucketCount, threshold: 2, hashID: function.filterID)
        )
        self.function = function
    }

    /// Creates a builder of words that fills a table.
    init(table: FilterTable) {
        self.table = table
        function = .md4
    }

    /// The size and the content of the filter now.
    public var statistics: Statistics { Statistics(table) }

    /// Adds a word.
    ///
    /// - Parameter word: The word.
    /// - Returns: Whether it is new; `false` also if the hash function is that of UTF-16 and the word is not UTF-8.
    /// - Throws: ``PasswordError/fullFilter``. Words that were added may be missing then, and the filter is useless.
    @discardableResult
    public mutating func insert(_ word: some SecretInput) throws(PasswordError) -> Bool {
        // A closure that inserts would have to borrow the filter.
        let key = word.withSecretBytes { word in function.withHash(of: word) { FilterKey(hash: $0) } ?? nil }
        guard let key else { return false }
        return try insert(key)
    }

    @discardableResult
    package mutating func insert(span word: Span<UInt8>) throws(PasswordError) -> Bool {
        guard let key = function.withHash(of: word, { FilterKey(hash: $0) }) ?? nil else { return false }
        return try insert(key)
    }

    /// Adds a word of which only the hash is known.
    ///
    /// - Parameter line: The hexadecimal digits of the hash, which a colon and a count may follow. If the count is 0, the
    ///   word is not added.
    /// - Returns: Whether it is new, or `nil` if the line is malformed.
    /// - Throws: ``PasswordError/fullFilter``.
    @discardableResult
    public mutating func insert(hash line: Span<UInt8>) throws(PasswordError) -> Bool? {
        guard
            let count = HashLine.count(in: line, digitCount: function.digitCount, requiresCount: false),
            let digest = MessageDigest<16>(hexDigits: line.extracting(..<32)),
            let key = digest.withContiguousSpan({ FilterKey(hash: $0) })
        else { return nil }
        return count > 0 ? try insert(key) : false
    }

    private mutating func insert(_ key: FilterKey) throws(PasswordError) -> Bool {
        if table.contains(key) {
            table.header.duplicates += 1
            return false
        }
        var bucket = key.firstBucket(of: table.header.bucketCount)
        var fingerprint = key.fingerprint
        // The first bucket as long as a lookup ends there, then the emptier one.
        if table.count(bucket) >= table.header.threshold {
            let other = FilterKey.otherBucket(than: bucket, for: fingerprint, of: table.header.bucketCount)
            if table.count(other) < table.count(bucket) { bucket = other }
        }
        var kicks = 0
        while !table.append(fingerprint, to: bucket) {
            kicks += 1
            let isLast = table.header.bucketSize == FilterHeader.largestBucketSize
            if kicks > (isLast ? Self.maximumLastKicks : Self.maximumKicks) {
                guard !isLast else { throw .fullFilter }
                table.header.bucketSize += 1
                kicks = 0
            } else {
                let slot = slotToMove(from: bucket)
                (fingerprint, bucket) = table.replace(slot, of: bucket, with: fingerprint)
            }
        }
        table.header.inserts += 1
        return true
    }

    /// Returns the fingerprint of a full bucket to move: one whose other bucket has room, otherwise any.
    private mutating func slotToMove(from bucket: Int) -> Int {
        for slot in 0..<table.header.bucketSize where table.hasRoom(beside: bucket, slot) { return slot }
        choice ^= choice << 13
        choice ^= choice >> 7
        choice ^= choice << 17
        return Int(choice >> 33) % table.header.bucketSize
    }

    /// Writes the filter to a file, which has its name when it is complete and on the disk, or never. Only this user can
    /// read it.
    ///
    /// - Parameter path: A path where no file is.
    /// - Throws: ``PasswordError/unwritableFilter``.
    public func write(toNewFile path: String) throws(PasswordError) {
        let path = Array(path.utf8)
        guard !path.contains(0) else { throw .unwritableFilter }
        do throws(SystemError) {
            var file = try NewFile.create(path, "cannot write the filter")
            try withContent { (bytes) throws(SystemError) in try file.write(bytes) }
            try file.commit()
        } catch {
            throw PasswordError(.unwritableFilter, message: error.description)
        }
    }

    /// Calls `body` with the parts of the file, one behind the other.
    package func withContent<Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        try body(table.header.bytes.span)
        try table.withBytes(body)
    }
}
