// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A sorted list of words that is a part of the program, unpacked: words one behind the other, and where each ends.
///
/// Packed, each word begins with a capital letter of ASCII, which no word has: the number of bytes that it shares with the
/// word before, from `A` for none. The rest of the word follows.
struct PackedWords {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    init(_ text: String) {
        // Where the last word begins.
        var start = 0
        for byte in text.utf8 {
            guard UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte else {
                bytes.append(byte)
                continue
            }
            if !bytes.isEmpty { ends.append(bytes.count) }
            let next = bytes.count
            for index in start..<start + Int(byte - UInt8(ascii: "A")) { bytes.append(bytes[index]) }
            start = next
        }
        ends.append(bytes.count)
    }
}
