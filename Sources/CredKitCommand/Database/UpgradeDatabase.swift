// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// Runs statements in the database of an upgrade, each in a transaction of its own.
///
/// `run` may be called from several threads at once, and blocks its thread until the server has answered.
struct UpgradeDatabase: Sendable {
    let run: @Sendable (_ text: String, _ parameters: [SQLValue]) throws -> [[SQLValue]]

    /// Runs a statement whose parameters and results are texts in the encoding of the database, as bytes.
    func rows(_ text: String, _ parameters: [SQLValue] = []) throws -> [UpgradeRow] {
        try run(text, parameters).map(UpgradeRow.init)
    }
}

/// A row of an answer.
struct UpgradeRow: Sendable {
    private let columns: [SQLValue]

    init(_ columns: [SQLValue]) { self.columns = columns }

    /// Returns a `bytea`; `nil` for `NULL`.
    func bytes(_ index: Int) -> [UInt8]? {
        guard columns.indices.contains(index), case .bytes(let bytes) = columns[index] else { return nil }
        return bytes
    }

    /// Returns a `text`; `nil` for `NULL`.
    func text(_ index: Int) -> String? {
        guard columns.indices.contains(index), case .text(let text) = columns[index] else { return nil }
        return text
    }

    /// Returns a `bigint`; `nil` for `NULL`.
    func integer(_ index: Int) -> Int64? {
        guard columns.indices.contains(index), case .integer(let value) = columns[index] else { return nil }
        return value
    }

    /// Returns whether a `bigint` is not 0.
    func flag(_ index: Int) -> Bool { integer(index).map { $0 != 0 } ?? false }
}

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

extension SQLValue {
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
