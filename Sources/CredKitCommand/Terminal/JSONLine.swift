// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A flat JSON object on a line of its own, its keys in alphabetical order.
struct JSONLine {
    let bytes: [UInt8]

    init(_ members: [String: String]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding strings as strings cannot fail.
        let data = (try? encoder.encode(members)) ?? Data()
        bytes = Array(data) + [UInt8(ascii: "\n")]
    }
}
