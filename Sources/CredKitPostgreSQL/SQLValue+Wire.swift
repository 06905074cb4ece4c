// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitServer

/// Values as PostgreSQL's protocol carries them.
extension SQLValue {
    /// Reads a value of a binary answer, whose type has this number in PostgreSQL. Other types than those of CredKit's statements
    /// are read as text.
    init(_ bytes: [UInt8], type: UInt32) {
        switch type {
        case 17: self = .bytes(bytes)
        case 20 where bytes.count == 8:
            self = .integer(Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        default: self = .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The bytes of a parameter; `nil` for `NULL`.
    var parameterBytes: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let value): Array("\(value)".utf8)
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// 1 for binary, where the length counts; 0 for text, which ends in NUL.
    var parameterFormat: Int32 { if case .bytes = self { 1 } else { 0 } }

    var parameterLength: Int32 {
        if case .bytes(let bytes) = self { Int32(clamping: bytes.count) } else { 0 }
    }

    /// Whether the value is a text that PostgreSQL would read as a shorter one.
    var hasNUL: Bool { if case .text(let text) = self { text.utf8.contains(0) } else { false } }
}
