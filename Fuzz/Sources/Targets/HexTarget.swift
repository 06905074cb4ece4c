// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

extension FuzzTarget {
    /// Feeds texts to the decoder and bytes to the encoder, and compares both with a conversion of single digits.
    static let hex = FuzzTarget("hex") { bytes in
        let text = Hex.encode(bytes)
        try requireEqual(text, bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), "digits")
        let decoded = try requireSuccess("digits decode") { () throws(Hex.DecodingError) in
            try Hex.decode(text)
        }
        try requireEqual(decoded, bytes, "a value decodes to itself")

        let digits = bytes.map { Character(Unicode.Scalar($0)).hexDigitValue }
        let firstOther = digits.firstIndex(of: nil)
        let isOdd = !bytes.count.isMultiple(of: 2)
        switch Result(catching: { () throws(Hex.DecodingError) in try Hex.decode(bytes) }) {
        case .success(let value):
            try require(firstOther == nil && !isOdd, "only pairs of digits are accepted")
            let expected = stride(from: 0, to: digits.count - 1, by: 2).map {
                UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0))
            }
            try requireEqual(value, expected, "the value of the digits")
            try requireEqual(
                Hex.encode(value),
                String(decoding: bytes, as: UTF8.self).lowercased(),
                "one text"
            )
        case .failure(let error):
            try requireEqual(error.offset, firstOther ?? bytes.count, "the offset is that of the first error")
            try require(firstOther != nil || isOdd, "an even number of digits is accepted")
        }
    }
}
