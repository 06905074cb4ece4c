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

    /// Reads a value of a binary answer, whose type has this number in PostgreSQL.
    init(_ bytes: [UInt8], type: UInt32) {
        switch type {
        case 17: self = .bytes(bytes)
        case 20 where bytes.count == 8:
            self = .integer(Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        default: self = .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The text of a parameter; `nil` for `NULL`.
    var parameterText: String? {
        switch self {
        case .null: nil
        case .integer(let value): "\(value)"
        case .text(let text): text
        case .bytes(let bytes): "\\x" + Hex.encode(bytes)
        }
    }
}
