// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The first line of a part, which a run with `--shard` wrote: which part it is, and the digests of the table that it
/// was made of and of its own records. New hashes do not show of which old ones they were made, so a part of an older
/// table would make passwords valid again that were changed meanwhile.
///
/// The line has a fixed length. Its place is left free until the part is complete: the digests are known only then.
struct ShardHeader: Equatable {
    static let byteCount = 256
    private static let name = "# credkit-shard 1"

    let shard: Shard
    /// The number of records of the table and their SHA-256, as ``InputPrefix/text`` has them.
    let input: String
    /// The same of the records of the part.
    let records: String

    init(_ shard: Shard, input: InputPrefix, records: InputPrefix) {
        self.shard = shard
        (self.input, self.records) = (input.text, records.text)
    }

    /// Reads the first bytes of a file; `nil` if they are not the header of a complete part.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(String.init)
        guard words.count == 10, let shard = Shard(argument: words[3]) else { return nil }
        self.shard = shard
        input = "\(words[5]) \(words[6])"
        records = "\(words[8]) \(words[9])"
        guard self.bytes == bytes else { return nil }
    }

    /// The line.
    var bytes: [UInt8] {
        let text = "\(Self.name) \(shard.text) input \(input) records \(records)"
        let padding = String(repeating: " ", count: max(0, Self.byteCount - 1 - text.utf8.count))
        return Array((text + padding + "\n").utf8)
    }
}
