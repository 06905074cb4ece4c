// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

extension SQLValue {
    /// A parameter that a statement reads with `::text::bytea[]`.
    static func byteArray(_ elements: [[UInt8]]) -> SQLValue {
        var text = Array("{".utf8)
        text.reserveCapacity(elements.reduce(2) { $0 + $1.count * 2 + 6 })
        for (index, element) in elements.enumerated() {
            text += Array((index == 0 ? "" : ",").utf8) + Array("\"\\\\x\(Hex.encode(element))\"".utf8)
        }
        return .text(String(decoding: text + [UInt8(ascii: "}")], as: UTF8.self))
    }
}
