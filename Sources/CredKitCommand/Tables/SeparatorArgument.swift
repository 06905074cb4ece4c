// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// A character between two texts: one of printable ASCII, or a tab, also written as `\t` or `tab`. A quote, a letter or a digit
/// cannot be one.
struct SeparatorArgument: ExpressibleByArgument, Sendable {
    let byte: UInt8

    init?(argument: String) {
        let bytes = RawArguments.encode(argument)
        let isTab = ["tab", #"\t"#, "\t"].contains(argument)
        // No digest would be without a letter or a digit.
        let isPunctuation =
            bytes.count == 1 && 0x20...0x7E ~= bytes[0] && bytes[0] != UInt8(ascii: "\"")
            && !argument.allSatisfy { $0.isLetter || $0.isNumber }
        guard isTab || isPunctuation else { return nil }
        byte = isTab ? UInt8(ascii: "\t") : bytes[0]
    }
}
