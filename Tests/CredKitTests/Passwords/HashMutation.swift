// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport

/// Damages the texts of hashes, for tests of parsers.
enum HashMutation {
    /// Returns a hash with one to three changes; `others` are hashes that parts are taken from.
    static func mutated(
        _ hash: [UInt8],
        from others: [[UInt8]],
        using random: inout SeededGenerator
    ) -> [UInt8] {
        // Characters that are significant in some format, and some that never are.
        let telling = Array("$$$,,==.+-_/:{}*!'\"% 0019azAZ\n\r\t\0\u{7F}é\u{301}\u{200B}".utf8)
        var bytes = hash
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = Int.random(in: place...min(bytes.count, place + 8), using: &random)
            let byte = telling.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<9, using: &random) {
            case 0: bytes.insert(byte, at: place)
            case 1: bytes.replaceSubrange(place..<end, with: [])
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3 where place < bytes.count: bytes[place] = byte
            // Digits and letters are replaced by others, so that many results are still hashes.
            case 4 where place < bytes.count:
                bytes[place] = Array("0123456789abcdef./ABC".utf8).randomElement(using: &random) ?? 0
            case 5 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 6:
                // Fields reordered, missing, doubled or taken from another hash.
                var fields = bytes.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
                let other = (others.randomElement(using: &random) ?? [])
                    .split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
                let index = Int.random(in: fields.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: fields.swapAt(index, Int.random(in: fields.indices, using: &random))
                case 1: fields.remove(at: index)
                case 2: fields.insert(fields[index], at: index)
                default: fields[index] = other.randomElement(using: &random) ?? []
                }
                bytes = Array(fields.joined(separator: [UInt8(ascii: "$")]))
            case 7:
                let other = others.randomElement(using: &random) ?? []
                bytes = Array(bytes[..<place] + other.suffix(Int.random(in: 0...other.count, using: &random)))
            default:
                let numbers = [
                    "0", "00", "1", "4294967295", "4294967296", "18446744073709551616", "-1", "+1",
                ]
                bytes.replaceSubrange(place..<end, with: (numbers.randomElement(using: &random) ?? "").utf8)
            }
        }
        return bytes
    }
}
