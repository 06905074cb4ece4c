// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// The parts of all shards of a table.
struct ShardParts {
    /// In the order of their numbers.
    private var parts: [ShardPart]

    /// Opens parts in any order, of which there must be one of each shard.
    init(_ files: [FileArgument], format: TableRecord.Format) throws {
        parts = try files.map { try ShardPart($0, format: format) }
        guard let first = parts.first else { throw CommandFailure(.malformed, "there is no part to join") }
        let count = first.header.shard.count
        if let other = parts.first(where: { $0.header.shard.count != count }) {
            throw other.failure("it is \(other.shown), but \(first.name) is \(first.shown)")
        }
        parts.sort { $0.header.shard.number < $1.header.shard.number }
        for (part, next) in zip(parts, parts.dropFirst())
        where part.header.shard.number == next.header.shard.number {
            throw next.failure("it is \(next.shown), as \(part.name) is")
        }
        let missing = (1...count).first { number in !parts.contains { $0.header.shard.number == number } }
        if let missing {
            throw CommandFailure(.malformed, "part \(missing) of \(count) is missing; nothing was written")
        }
    }

    /// Returns the next record of the part that has a record of the table; `nil` if the part has ended.
    mutating func next(_ number: Int) throws -> TableRecord? {
        try parts[(number - 1) % parts.count].next()
    }

    /// Returns the failure of the part that was read last for a record of the table.
    func failure(at number: Int, of input: String, isAtEnd: Bool) -> CommandFailure {
        let part = parts[(number - 1) % parts.count]
        guard !isAtEnd else {
            return part.failure("it ends before record \(number) of \(input): it was truncated")
        }
        return part.failure(
            "its record \(part.recordNumber), for record \(number) of \(input), is not what this input and these options "
                + "produce: the part was changed, or was made with other options"
        )
    }

    /// Whether all parts were made of one table.
    var haveOneInput: Bool { parts.allSatisfy { $0.header.input == parts[0].header.input } }

    /// Throws if a part was made of another table than this, all of which was read.
    func check(_ input: InputPrefix, named name: String) throws {
        for part in parts where part.header.input != input.text {
            throw part.failure("it was made of another table than \(name), or that was changed since")
        }
    }

    /// Throws if a part has a further record, or was changed since it was written.
    mutating func finish() throws {
        for index in parts.indices { try parts[index].finish() }
    }
}
