// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTerminal
import Glibc
import CredKit

/// The note beside a partial output: the input that its records were made of, up to the last batch and the one before. Each has a
/// line of its own, so that a power failure damages one of them at most.
struct TableOutputNote {
    private static let lineByteCount = 128

    private let file: Descriptor
    private let name: String
    private var isSecond = false

    init(_ file: Descriptor, name: String) {
        self.file = file
        self.name = name
    }

    /// The entries, as ``InputPrefix`` writes them.
    func entries() throws -> [String] {
        let bytes = try reporting { () throws(SystemError) in
            try file.readBytes(at: 0, count: 2 * Self.lineByteCount, name)
        }
        return bytes.split(separator: UInt8(ascii: "\n")).map { line in
            let end = line.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? line.startIndex
            return String(decoding: line[..<end], as: UTF8.self)
        }
    }

    /// Writes an entry in place of the last but one.
    mutating func write(_ entry: String) throws {
        let padding = String(repeating: " ", count: max(0, Self.lineByteCount - 1 - entry.utf8.count))
        let line = Array((entry + padding + "\n").utf8)
        let position = isSecond ? Self.lineByteCount : 0
        isSecond.toggle()
        try reporting { () throws(SystemError) in
            guard lseek(file.number, position, SEEK_SET) == position else { throw SystemError(errno, name) }
            try file.writeAll(line, name)
        }
    }

    private func reporting<Value>(_ body: () throws(SystemError) -> Value) throws -> Value {
        do throws(SystemError) { return try body() } catch {
            throw CommandFailure(.inputOutput, error.description)
        }
    }
}

/// The first records of an input, and their digest. A partial output is continued only with an input that begins with them: new
/// hashes do not show of which old ones they were made.
struct InputPrefix: Sendable {
    private(set) var recordCount = 0
    private var computation = ContentDigest.Computation(.sha256)
    private let shard: Shard?

    /// - Parameter shard: The records that a run upgrades; `nil` for all. The prefix itself has all records.
    init(of shard: Shard? = nil) { self.shard = shard }

    /// Adds the next record.
    mutating func append(_ record: TableRecord) {
        computation.update(record.bytes.span)
        recordCount += 1
    }

    /// The number of records and the digits of their SHA-256.
    var text: String { "\(recordCount) " + Hex.encode(computation.digest.span) }

    /// The entry of a note: the text and the shard.
    var entry: String { text + (shard.map { " \($0.text)" } ?? "") }

    /// Returns whether entries are of runs that upgraded other records of the input.
    static func isOtherShard(_ shard: Shard?, in entries: [String]) -> Bool {
        let shards = entries.map { $0.split(separator: " ").dropFirst(2).joined() }
        return !shards.isEmpty && !shards.contains(shard?.text ?? "")
    }

    /// Returns the longest prefix of an input that one of the entries is for; `nil` if there is none.
    static func longest(of input: inout TableReader, in entries: [String], _ shard: Shard?) throws -> Int? {
        var prefix = Self(of: shard)
        var longest = entries.contains(prefix.entry) ? 0 : nil
        let counts = Set(entries.compactMap { Int($0.prefix { $0 != " " }) })
        while let last = counts.max(), prefix.recordCount < last, let record = try input.next() {
            prefix.append(record)
            if counts.contains(prefix.recordCount), entries.contains(prefix.entry) {
                longest = prefix.recordCount
            }
        }
        return longest
    }
}
