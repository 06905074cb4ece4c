// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The records of a table that one of several runs upgrades: each N-th, so that all runs have the same work although
/// hashes of one scheme stand together in many tables.
struct Shard: ExpressibleByArgument, Equatable, Sendable {
    /// The maximum number of shards. Joining them opens as many files, of which a process may have 1,024.
    static let maximumCount = 1000

    /// All records.
    static let all = Shard(number: 1, count: 1)

    /// The number of the shard, counted from 1.
    let number: Int
    /// The number of all shards.
    let count: Int

    private init(number: Int, count: Int) {
        (self.number, self.count) = (number, count)
    }

    /// Reads `K/N`.
    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }),
            let number = Int(parts[0]), let count = Int(parts[1]),
            1...Self.maximumCount ~= count, 1...count ~= number
        else { return nil }
        self.init(number: number, count: count)
    }

    /// The shard as an argument: `3/8`.
    var text: String { "\(number)/\(count)" }

    /// Returns whether a record, counted from 1, is of the shard.
    func contains(_ record: Int) -> Bool { (record - 1) % count == number - 1 }

    /// Returns how many records of the shard a table has with this number of records.
    func recordCount(of total: Int) -> Int { (total + count - number) / count }

    /// Returns the number in the table of a record of the shard. Its own number is counted from 0.
    func tableNumber(ofRecord index: Int) -> Int { number + index * count }
}
