// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A JSON object on a line of its own, its keys in alphabetical order.
package struct JSONLine {
    package let bytes: [UInt8]

    package init(_ members: [String: String]) {
        // Encoding strings as strings cannot fail.
        bytes = (try? Self(encoding: members).bytes) ?? []
    }

    /// The JSON of a value whose type says what its keys are.
    package init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        bytes = Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }
}
