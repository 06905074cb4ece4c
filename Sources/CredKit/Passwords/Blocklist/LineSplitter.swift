// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Splits a text that arrives in pieces into lines, which it does not copy unless they span two pieces.
package struct LineSplitter {
    /// The maximum length of a line in bytes. `pwqfilter` has the same limit.
    package static let maximumByteCount = 8192

    private let keepsReturns: Bool
    private var beginning: [UInt8] = []
    /// The number of lines that have ended.
    package private(set) var lineCount = 0

    /// Creates a splitter.
    ///
    /// - Parameter keepsReturns: Whether a carriage return at the end of a line is a part of the line.
    package init(keepsReturns: Bool = false) { self.keepsReturns = keepsReturns }

    /// Calls `body` with each line that ends in a piece, without its line feed.
    ///
    /// - Parameters:
    ///   - piece: The next piece.
    ///   - body: Receives a line.
    /// - Throws: What `body` threw; ``PasswordError/malformedBlocklist`` if a line is too long.
    package mutating func split(_ piece: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void) throws {
        var start = 0
        while let feed = Self.lineFeed(in: piece, from: start) {
            let line = piece.extracting(start..<feed)
            if beginning.isEmpty {
                try check(line.count)
                try body(line.extracting(..<end(of: line)))
            } else {
                try keep(line)
                try body(beginning.span.extracting(..<end(of: beginning.span)))
                beginning.removeAll(keepingCapacity: true)
            }
            lineCount += 1
            start = feed + 1
        }
        try keep(piece.extracting(start...))
    }

    /// Calls `body` with the last line, if it has no line feed.
    package mutating func finish(_ body: (Span<UInt8>) throws -> Void) throws {
        guard !beginning.isEmpty else { return }
        try body(beginning.span.extracting(..<end(of: beginning.span)))
        lineCount += 1
        beginning = []
    }

    private mutating func keep(_ part: Span<UInt8>) throws(PasswordError) {
        try check(beginning.count + part.count)
        for index in part.indices { beginning.append(part[index]) }
    }

    private func check(_ byteCount: Int) throws(PasswordError) {
        guard byteCount <= Self.maximumByteCount else {
            throw .malformedBlocklist("line \(lineCount + 1) has more than \(Self.maximumByteCount) bytes")
        }
    }

    /// Returns the number of bytes of a line that are a part of it.
    private func end(of line: Span<UInt8>) -> Int {
        !keepsReturns && line.count > 0 && line[line.count - 1] == UInt8(ascii: "\r")
            ? line.count - 1 : line.count
    }

    private static func lineFeed(in piece: Span<UInt8>, from start: Int) -> Int? {
        unsafe piece.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
