// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of test vectors: its source, and the cases.
public struct VectorFile<Case: Decodable & Sendable>: Decodable, Sendable {
    /// The publication of the values.
    public let source: String
    /// The cases, in the order of the publication.
    public let cases: [Case]

    /// Reads a file of the folder `Data`.
    ///
    /// - Parameter name: Its name without `.json`.
    /// - Returns: The decoded file.
    /// - Throws: A Foundation error if the file is missing or malformed.
    public static func load(_ name: String) throws -> VectorFile {
        guard let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Data")
        else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try JSONDecoder().decode(VectorFile.self, from: Data(contentsOf: url))
    }
}

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
