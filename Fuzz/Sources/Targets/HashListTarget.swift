// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Feeds lists of hashes with their counts to the readers of ranges and of sorted files, and any text to the splitter of
    /// lines.
    static let hashLists = FuzzTarget("hash-lists") { bytes in
        var input = FuzzInput(bytes)
        let pieceByteCount = 1 + Int(input.byte())
        let text = input.remaining
        try HashListProperties.checkLines(text)
        try HashListProperties.checkRange(text)
        try HashListProperties.checkSorted(text)
        try HashListProperties.checkSplitter(text, pieceByteCount)
    }
}

private enum HashListProperties {
    private static func lines(_ text: [UInt8]) -> [[UInt8]] {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Array.init
        )
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// A line, read anew.
    private static func reference(_ line: [UInt8], _ digitCount: Int) -> (digits: String, count: Int)? {
        guard let text = String(input: line.last == 13 ? line.dropLast() : line[...]) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == digitCount, parts[0].utf8.allSatisfy(isHexadecimal),
            1...12 ~= parts[1].utf8.count, parts[1].utf8.allSatisfy({ 48...57 ~= $0 })
        else { return nil }
        return Int(parts[1]).map { (parts[0].lowercased(), $0) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        48...57 ~= byte || 65...70 ~= byte || 97...102 ~= byte
    }

    static func checkLines(_ text: [UInt8]) throws {
        for line in lines(text) {
            for digitCount in [32, 35, 40] {
                try requireEqual(
                    HashLine.count(in: line.span, digitCount: digitCount, requiresCount: true),
                    reference(line, digitCount)?.count,
                    "a count is the same for both parsers: \(line)"
                )
            }
        }
    }

    static func checkRange(_ text: [UInt8]) throws {
        let entries = lines(text).map { reference($0, 35) }
        let hashes = Set(entries.compactMap { $0 }.filter { $0.count > 0 }.map(\.digits))
        for digits in Array(hashes.prefix(4)) + [String(repeating: "0", count: 35)] {
            let found = try? HashRanges.find(Array(digits.utf8).span, in: text.span)
            if entries.allSatisfy({ $0 != nil }) {
                try requireEqual(found, hashes.contains(digits), "a range has its hashes: \(digits)")
            } else {
                try require(found != false, "a malformed range does not answer no: \(digits)")
            }
        }
    }

    static func checkSorted(_ text: [UInt8]) throws {
        let file = try UnnamedFile(text)
        guard let list = try? PasswordBlocklist(pwnedHashesIn: file.path) else { return }
        let entries = lines(text).map { reference($0, 40) }
        for word in ["password", "123456", "correct horse"] {
            guard let answer = try? list.contains(word) else { continue }
            let digits = Legacy.SHA1.hash(data: word.utf8).hex
            let isThere = entries.contains { $0?.digits == digits && $0?.count ?? 0 > 0 }
            try requireEqual(answer, isThere, "a short list has its hashes")
        }
        try file.truncate()
        try require((try? list.contains("password")) == nil, "a file that shrank does not answer")
    }

    static func checkSplitter(_ text: [UInt8], _ pieceByteCount: Int) throws {
        var (splitter, found) = (LineSplitter(), [[UInt8]]())
        for start in stride(from: 0, to: text.count, by: pieceByteCount) {
            let piece = Array(text[start..<min(text.count, start + pieceByteCount)])
            try splitter.split(piece.span) { line in found.append(line.indices.map { line[$0] }) }
        }
        try splitter.finish { line in found.append(line.indices.map { line[$0] }) }
        let expected = lines(text).map { $0.last == 13 ? Array($0.dropLast()) : $0 }
        try requireEqual(found, expected, "lines are the same wherever a piece ends")
    }
}
