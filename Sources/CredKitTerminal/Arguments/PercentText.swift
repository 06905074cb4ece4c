// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// The percent-encoding of CredKit, for credkit-server, which is a package of its own.
public enum PercentText {
    /// Decodes a name or value of `application/x-www-form-urlencoded`.
    ///
    /// - Parameter text: The bytes between separators. A `%` that does not begin an escape is kept.
    /// - Returns: The bytes, which may be any.
    public static func decodeForm(_ text: ArraySlice<UInt8>) -> [UInt8] {
        PercentCoding.form.decodeLeniently(text)
    }

    /// Decodes a part of a URL.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes, which may be any; `nil` if a `%` does not begin an escape.
    public static func decode(_ text: Substring) -> [UInt8]? {
        text.utf8.withContiguousSpan { try? PercentCoding.component.decode($0) }
    }

    /// Encodes a text as a value of a query.
    ///
    /// - Parameter text: The text.
    /// - Returns: The encoded text, in which only letters, digits and `-._~` stand for themselves.
    public static func encode(_ text: String) -> String {
        PercentCoding.component.encode(Array(text.utf8))
    }
}
