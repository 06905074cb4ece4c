// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

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
