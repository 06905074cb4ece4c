// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A parameter or a result of a statement. No other types occur in the statements of CredKit.
public enum SQLValue: Sendable, Hashable {
    /// `NULL`.
    case null
    /// `bigint`.
    case integer(Int64)
    /// `text`.
    case text(String)
    /// `bytea`.
    case bytes([UInt8])
}
