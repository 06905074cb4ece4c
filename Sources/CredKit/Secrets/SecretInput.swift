// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A type that a password or a key can be passed as: a `String`, a `Substring`, bytes, or ``SecretBytes``.
///
/// The bytes of text are its UTF-8, NUL included. The bytes are read in place and not copied. A `String` or an array
/// that holds a secret stays in memory until its owner releases it, and is not wiped then. If the secret must be
/// wiped, hold it in ``SecretBytes`` from the start.
public protocol SecretInput {
    /// Calls `body` with the bytes.
    ///
    /// - Parameter body: Receives the bytes, which are valid until it returns.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw.
    func withSecretBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

extension String: SecretInput {
    /// Calls `body` with the UTF-8 of the text.
    public func withSecretBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(utf8Span.span)
    }
}

extension Substring: SecretInput {
    /// Calls `body` with the UTF-8 of the text.
    public func withSecretBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(utf8Span.span)
    }
}

extension Array<UInt8>: SecretInput {
    /// Calls `body` with the elements.
    public func withSecretBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(span)
    }
}

extension ArraySlice<UInt8>: SecretInput {
    /// Calls `body` with the elements.
    public func withSecretBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(span)
    }
}

extension SecretBytes: SecretInput {}
