// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Writes serialized GVariants in normal form, from the specification alone.
enum GVariantWriter {
    /// A member of a tuple.
    enum Member {
        case number(UInt64, byteCount: Int)
        /// Without a fixed size, and with the alignment 1.
        case bytes([UInt8])
    }

    /// Returns a tuple. All members without a fixed size but the last one have a framing offset, the first one last.
    static func tuple(_ members: [Member]) -> [UInt8] {
        var body: [UInt8] = []
        var ends: [Int] = []
        for (index, member) in members.enumerated() {
            switch member {
            case .number(let number, let byteCount):
                while !body.count.isMultiple(of: byteCount) { body.append(0) }
                body += bytes(number, byteCount)
            case .bytes(let bytes):
                body += bytes
                if index < members.count - 1 { ends.append(body.count) }
            }
        }
        return framed(body, ends.reversed())
    }

    /// Returns an array of elements without a fixed size.
    static func array(_ elements: [[UInt8]]) -> [UInt8] {
        var body: [UInt8] = []
        var ends: [Int] = []
        for element in elements {
            body += element
            ends.append(body.count)
        }
        return framed(body, ends)
    }

    static func string(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    /// Appends framing offsets, whose size depends on that of the whole.
    private static func framed(_ body: [UInt8], _ ends: [Int]) -> [UInt8] {
        guard !ends.isEmpty else { return body }
        let limits = [1: 0xFF, 2: 0xFFFF, 4: 0xFFFF_FFFF]
        let size = [1, 2, 4].first { body.count + ends.count * $0 <= limits[$0] ?? 0 } ?? 8
        return body + ends.flatMap { bytes(UInt64($0), size) }
    }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
