// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Splits an input into the values that a target needs. An input that is too short yields zeros and empty texts.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns a number below a bound.
    mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Returns the bytes before the next line feed, which is skipped.
    mutating func line() -> [UInt8] {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return Array(line)
    }

    /// Returns the rest as text, with replacement characters for bytes that are not UTF-8.
    var text: String { String(decoding: rest, as: UTF8.self) }

    var remaining: [UInt8] { Array(rest) }
}

extension String {
    /// Creates the text of an input, or `nil` for bytes that are not UTF-8, which no caller can pass as text.
    init?(input: some Collection<UInt8>) { self.init(validating: input, as: UTF8.self) }
}
