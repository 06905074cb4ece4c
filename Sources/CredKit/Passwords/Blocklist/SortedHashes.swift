// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// A file of hashes with their counts, sorted by hash. A lookup halves the part of the file where the hash can be, and
/// reads what is left.
///
/// The file is read by position and never mapped: each lookup waits for the disk anyway, and a file that shrinks or a disk
/// that fails is an error instead of a signal.
struct SortedHashes: WordLookup {
    /// The size of the part that is read as a whole.
    private static let blockByteCount = 4096

    private let file: Descriptor
    private let byteCount: Int
    private let function: PasswordBlocklist.HashFunction

    init(
        file path: [UInt8],
        hashedWith function: PasswordBlocklist.HashFunction
    ) throws(PasswordError) {
        (file, byteCount) = try Self.open(path)
        self.function = function
        guard byteCount > 0 else { throw .malformedBlocklist("the list of hashes is empty") }
        let first = try read(0..<min(byteCount, HashLine.maximumByteCount + 1))
        _ = try line(in: first.span, startsInLine: true)
    }

    private static func open(_ path: [UInt8]) throws(PasswordError) -> (Descriptor, byteCount: Int) {
        do throws(SystemError) {
            let file = try Descriptor(ordinaryFileAt: path, "cannot read the list of hashes")
            return (file, Int(try file.status().st_size))
        } catch {
            throw PasswordError(unreadable: error)
        }
    }

    func contains(_ word: Span<UInt8>) throws(PasswordError) -> Bool {
        guard let digits = function.digits(of: word) else { return false }
        // Lines before `start` have smaller hashes, and those from `end` on have greater ones.
        var (start, end) = (0, byteCount)
        var (least, greatest): ([UInt8], [UInt8]) = ([], [UInt8(ascii: "g")])
        while end - start > Self.blockByteCount {
            let middle = start + (end - start) / 2
            let block = try read(middle..<min(end, middle + 2 * HashLine.maximumByteCount))
            let line = try line(in: block.span, startsInLine: false)
            let hash = Array(block[line.digits])
            // The same list is published in the order of the counts, in which no hash would be found.
            guard HashLine.compare(hash.span, least.span) > 0, HashLine.compare(hash.span, greatest.span) < 0
            else { throw Self.unsorted }
            let order = HashLine.compare(hash.span, digits.span)
            if order == 0 { return line.count > 0 }
            if order < 0 {
                (start, least) = (middle + line.end, hash)
            } else {
                (end, greatest) = (middle + line.digits.lowerBound, hash)
            }
        }
        let rest = try read(start..<end)
        return try find(digits.span, in: rest.span, after: least)
    }

    private func find(
        _ digits: Span<UInt8>,
        in block: Span<UInt8>,
        after least: [UInt8]
    ) throws(PasswordError) -> Bool {
        var (isThere, error, last): (Bool, PasswordError?, [UInt8]) = (false, nil, least)
        HashLine.forEachLine(of: block) { line in
            guard let count = HashLine.count(in: line, digitCount: digits.count, requiresCount: true) else {
                error = Self.malformed
                return false
            }
            let hash = (0..<digits.count).map { line[$0] }
            if HashLine.compare(hash.span, last.span) <= 0 { error = Self.unsorted }
            if count > 0 && HashLine.compare(hash.span, digits) == 0 { isThere = true }
            last = hash
            return error == nil
        }
        if let error { throw error }
        return isThere
    }

    private static var malformed: PasswordError {
        .malformedBlocklist("a line of the list is no hash of this kind with a count")
    }

    private static var unsorted: PasswordError { .malformedBlocklist("the list is not sorted by hash") }

    /// Parses the first whole line of a block.
    private func line(
        in block: Span<UInt8>,
        startsInLine: Bool
    ) throws(PasswordError) -> (digits: Range<Int>, count: Int, end: Int) {
        var start = 0
        if !startsInLine {
            while start < block.count && block[start] != UInt8(ascii: "\n") { start += 1 }
            start += 1
        }
        var end = start
        while end < block.count && block[end] != UInt8(ascii: "\n") { end += 1 }
        guard start < block.count,
            let count = HashLine.count(
                in: block.extracting(start..<end),
                digitCount: function.digitCount,
                requiresCount: true
            )
        else { throw Self.malformed }
        return (start..<start + function.digitCount, count, end + 1)
    }

    private func read(_ range: Range<Int>) throws(PasswordError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.readBytes(
                at: range.lowerBound,
                count: range.count,
                "cannot read the list of hashes"
            )
        } catch {
            throw PasswordError(unreadable: error)
        }
        guard bytes.count == range.count else { throw .changedBlocklist }
        return bytes
    }
}
