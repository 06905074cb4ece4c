// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// The first records of an input, and their digest. A partial output is continued only with an input that begins with them: new
/// hashes do not show of which old ones they were made.
struct InputPrefix: Sendable {
    private(set) var recordCount = 0
    private var computation = ContentDigest.Computation(.sha256)

    /// Adds the next record.
    mutating func append(_ record: TableRecord) {
        computation.update(record.bytes.span)
        recordCount += 1
    }

    /// The entry of a note: the number of records and the digits of their SHA-256.
    var entry: String { "\(recordCount) " + Hex.encode(computation.digest.span) }

    /// Returns the longest prefix of an input that one of the entries is for; `nil` if there is none.
    static func longest(of input: inout TableReader, in entries: [String]) throws -> Int? {
        var prefix = Self()
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
