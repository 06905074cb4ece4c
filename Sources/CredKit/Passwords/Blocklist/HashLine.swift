// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A line of a list of hashes: hexadecimal digits and, as in the lists of Have I Been Pwned, a colon and a count.
enum HashLine {
    /// The number of digits that a count may have.
    private static let maximumCountDigits = 12

    /// The maximum length of a line with a SHA-1, in bytes.
    static let maximumByteCount = 40 + 1 + maximumCountDigits + 2

    /// Parses a line without its line feed.
    ///
    /// - Parameters:
    ///   - line: The line. A carriage return at its end is skipped.
    ///   - digitCount: The number of hexadecimal digits at its beginning.
    ///   - requiresCount: Whether there must be a count.
    /// - Returns: The count, 1 if there is none, or `nil` if the line is malformed.
    static func count(in line: Span<UInt8>, digitCount: Int, requiresCount: Bool) -> Int? {
        var end = line.count
        if end > 0 && line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        guard end >= digitCount else { return nil }
        for index in 0..<digitCount where !isHexadecimal(line[index]) { return nil }
        guard end > digitCount else { return requiresCount ? nil : 1 }
        guard line[digitCount] == UInt8(ascii: ":"), 1...maximumCountDigits ~= end - digitCount - 1 else {
            return nil
        }
        var count = 0
        for index in (digitCount + 1)..<end {
            guard 0x30...0x39 ~= line[index] else { return nil }
            count = count * 10 + Int(line[index] - 0x30)
        }
        return count
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x46 ~= byte & 0xDF
    }

    /// Compares hexadecimal digits without regard to case.
    ///
    /// - Returns: A number below, equal to or above 0, as `left` is smaller than, equal to or greater than `right`.
    static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        // Clearing this bit makes letters upper case, and keeps digits in their order and before the letters.
        for index in 0..<min(left.count, right.count) where left[index] & 0xDF != right[index] & 0xDF {
            return Int(left[index] & 0xDF) - Int(right[index] & 0xDF)
        }
        return left.count - right.count
    }

    /// Calls `body` with each line of a text, without its line feed, until it returns `false`.
    static func forEachLine(of text: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) {
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count && text[end] != UInt8(ascii: "\n") { end += 1 }
            guard body(text.extracting(start..<end)) else { return }
            start = end + 1
        }
    }
}

extension PasswordBlocklist.HashFunction {
    /// Returns the hexadecimal digits of the hash of a word, or `nil` if it has none.
    func digits(of word: Span<UInt8>) -> [UInt8]? {
        withHash(of: word) { Array(Hex.encode($0).utf8) }
    }
}
