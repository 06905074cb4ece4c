// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A JSON object on one line, with its keys in alphabetical order.
package struct JSONLine {
    package let bytes: [UInt8]

    package init(_ members: [String: String]) {
        // Encoding strings as strings cannot fail.
        bytes = (try? Self(encoding: members).bytes) ?? []
    }

    /// Encodes a value whose type defines the keys.
    package init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        bytes = Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }
}
