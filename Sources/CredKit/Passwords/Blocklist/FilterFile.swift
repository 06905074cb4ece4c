// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A filter file that is mapped into memory. The header is a copy of what was checked, so that the file cannot change it.
struct FilterFile: WordLookup {
    private let file: MappedFile
    private let header: FilterHeader
    private let function: PasswordBlocklist.HashFunction

    /// Opens a file; see ``PasswordBlocklist/init(filter:hashedWith:)``.
    init(_ path: [UInt8], hashedWith function: PasswordBlocklist.HashFunction?) throws(PasswordError) {
        do throws(SystemError) {
            file = try MappedFile(path, "cannot read the filter")
        } catch {
            throw PasswordError(unreadable: error)
        }
        guard let header = FilterHeader(file.bytes(at: 0, count: FilterHeader.byteCount)) else {
            throw .malformedBlocklist("it is not a filter file, or of another version")
        }
        guard file.byteCount == header.fileByteCount else {
            throw .malformedBlocklist(
                "the filter has \(file.byteCount) bytes instead of \(header.fileByteCount)"
            )
        }
        self.header = header
        self.function = try Self.function(of: header, declared: function)
    }

    private static func function(
        of header: FilterHeader,
        declared: PasswordBlocklist.HashFunction?
    ) throws(PasswordError) -> PasswordBlocklist.HashFunction {
        guard header.hashID != 0 else {
            guard let declared else {
                throw .malformedBlocklist(
                    "the filter was made of hashes, and does not record their function, which must be named"
                )
            }
            return declared
        }
        guard let recorded = PasswordBlocklist.HashFunction.all.first(where: { $0.filterID == header.hashID })
        else {
            throw .malformedBlocklist("the filter names an unknown hash function")
        }
        guard declared == nil || declared == recorded else {
            throw .malformedBlocklist("the filter was made with \(recorded)")
        }
        return recorded
    }

    func contains(_ word: Span<UInt8>) throws(PasswordError) -> Bool {
        guard let key = function.withHash(of: word, { FilterKey(hash: $0) }) ?? nil else { return false }
        // A page that the file no longer has must not be touched: the system would end the process.
        guard file.isUnchanged() else { throw .changedBlocklist }
        let isThere = header.contains(key) { index in
            file.numbers(at: FilterHeader.byteCount + index * FilterHeader.bucketByteCount)
                .map { FilterBucket(low: $0.1, high: $0.0) }
        }
        guard let isThere else { throw .malformedBlocklist("the filter is damaged") }
        return isThere
    }
}
