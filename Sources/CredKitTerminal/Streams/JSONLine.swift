// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import FoundationEssentials

/// A JSON object on one line. Unprintable characters are written as `\u` escapes,
/// so that the line is safe on a terminal, and a parser still reads the same values.
public struct JSONLine {
    /// The object and a line feed, in UTF-8.
    public let bytes: [UInt8]

    /// Encodes names and values, with the names in alphabetical order.
    ///
    /// - Parameter members: The members of the object.
    public init(_ members: [String: String]) {
        // Encoding strings as strings cannot fail.
        bytes = (try? Self(encoding: members).bytes) ?? []
    }

    /// Encodes names and values in their order. Unlike those of a dictionary, the names may be equal as strings: they
    /// are distinguished by their bytes.
    public init(inOrder members: [(name: String, value: String)]) {
        let pairs = members.map { JSONText.quoted($0.name) + [UInt8(ascii: ":")] + JSONText.quoted($0.value) }
        bytes =
            [UInt8(ascii: "{")] + pairs.joined(separator: [UInt8(ascii: ",")])
            + [UInt8(ascii: "}"), UInt8(ascii: "\n")]
    }

    /// Encodes a value whose type defines the keys, which are in alphabetical order.
    public init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        bytes = JSONText.escapingUnprintable(Array(try encoder.encode(value))) + [UInt8(ascii: "\n")]
    }
}
