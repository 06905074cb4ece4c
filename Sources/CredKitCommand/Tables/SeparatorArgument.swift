// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// A character between two texts: one of printable ASCII, or a tab, also written as `\t` or `tab`. A quote cannot be one.
struct SeparatorArgument: ExpressibleByArgument, Sendable {
    let byte: UInt8

    init?(argument: String) {
        let bytes = RawArguments.encode(argument)
        let isTab = ["tab", #"\t"#, "\t"].contains(argument)
        guard isTab || bytes.count == 1 && 0x20...0x7E ~= bytes[0] && bytes[0] != UInt8(ascii: "\"") else {
            return nil
        }
        byte = isTab ? UInt8(ascii: "\t") : bytes[0]
    }
}
