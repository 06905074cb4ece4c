// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport

/// Changes of a file as damage and mistakes make them.
enum ByteMutation {
    // Flips a bit, removes a byte, inserts one, or removes the end; which of them depends on the round. Every other group
    // of four rounds changes bytes of the focus, if there is one.
    static func apply(
        _ bytes: inout [UInt8],
        round: Int,
        focus: [Int] = [],
        _ generator: inout SeededGenerator
    ) {
        let anywhere = Int.random(in: 0..<bytes.count, using: &generator)
        let index = round % 8 < 4 ? anywhere : focus.randomElement(using: &generator) ?? anywhere
        switch round % 4 {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(UInt8.random(in: 0...127, using: &generator), at: index)
        default: bytes.removeLast(bytes.count - index)
        }
    }
}
