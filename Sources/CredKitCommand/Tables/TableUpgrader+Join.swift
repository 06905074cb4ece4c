// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

extension TableUpgrader {
    /// How many bytes are written at once.
    private static let writtenByteCount = 256 * 1024

    /// Writes the records of parts in the order of the table, and checks each: it must be one that this run could
    /// have written. Counts what one run for the whole table would count.
    ///
    /// - Returns: The signal that has arrived, with which the output is not complete; `nil` if it is.
    /// - Throws: ``CommandFailure`` if a part is not of this table, or not as it was written.
    mutating func join(
        _ parts: inout ShardParts,
        _ input: inout TableReader,
        _ output: TableOutput,
        _ signals: inout PendingSignals,
        meter: inout ProgressMeter
    ) throws -> Int32? {
        if !parts.haveOneInput {
            // Names the part that is of another table; there is one.
            try readRest(of: &input)
            try parts.check(prefix, named: inputName)
        }
        var bytes: [UInt8] = []
        while let (original, number) = try next(&input) {
            let found = try parts.next(number)
            guard let record = found,
                let outcome = try self.outcome(of: record, for: original, number: number)
            else {
                // Another table explains more than the record that differs.
                try readRest(of: &input)
                try parts.check(prefix, named: inputName)
                throw parts.failure(at: number, of: inputName, isAtEnd: found == nil)
            }
            count(outcome, number: number, &meter)
            meter.advance(by: 1)
            bytes += record.bytes
            guard bytes.count >= Self.writtenByteCount else { continue }
            try output.write(bytes)
            bytes.removeAll(keepingCapacity: true)
            if let signal = signals.next() { return signal }
        }
        try output.write(bytes)
        try parts.check(prefix, named: inputName)
        try parts.finish()
        return nil
    }
}
