// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Bytes that a file stores as hexadecimal digits. Decoded without CredKit, which is under test.
public struct HexBytes: Decodable, Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Decodes hexadecimal digits, two per byte.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let digits = Array(try container.decode(String.self))
        bytes = try stride(from: 0, to: digits.count, by: 2).map { index in
            guard index + 1 < digits.count, let byte = UInt8(String(digits[index...index + 1]), radix: 16)
            else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
            }
            return byte
        }
    }
}
