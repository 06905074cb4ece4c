// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Values of HTTP fields that are defined as Structured Fields, by
/// [RFC 9651](https://www.rfc-editor.org/rfc/rfc9651).
///
/// The definition of a field says which of the three types it has: an ``Item``, a ``List`` or a ``Dictionary``.
///
/// ```swift
/// let digests = try StructuredField.Dictionary(parsing: "sha-256=:aGVsbG8=:, unixsum=42;legacy")
/// digests["sha-256"]?.bareItem?.byteSequenceValue                         // the bytes of "hello"
/// digests["unixsum"]?.parameters["legacy"]                                // .boolean(true)
///
/// var covered: StructuredField.InnerList = ["@method", "content-digest"]
/// covered.parameters["created"] = 1_618_884_473
/// try covered.serialized()                       // ("@method" "content-digest");created=1618884473
/// ```
///
/// Parsing is strict: a field is accepted as a whole or rejected, as the RFC requires, and everything in it keeps its
/// order. Serializing a parsed value gives the canonical text, of which HTTP message signatures (RFC 9421) are made.
///
/// ## Limits
/// The time and memory of parsing are proportional to the length of the text. A text of more than
/// ``maximumByteCount`` bytes is rejected, and so is a container with more than ``maximumMemberCount`` members. Both
/// numbers meet the minimums of the RFC. Serialization has no limits of its own.
public enum StructuredField {
    /// The maximum length of a field that is parsed, in bytes: 262,144. This is enough for 1,024 members with keys and
    /// values of more than 100 bytes each.
    public static let maximumByteCount = 262_144

    /// The maximum number of members of each list, inner list and dictionary, and of the parameters of each item, when
    /// parsing: 1,024. A key that occurs more than once counts once.
    public static let maximumMemberCount = 1_024
}
