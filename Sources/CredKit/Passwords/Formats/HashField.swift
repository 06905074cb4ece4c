// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Fields of stored hashes in encodings that several schemes have.
enum HashField {
    /// Parses Base64 with padding.
    static func base64(_ text: Substring) throws(PasswordError) -> [UInt8] {
        do throws(Base64.DecodingError) {
            return try Base64.standard.decode(text)
        } catch {
            throw .malformed("the digest is not Base64 with padding: \(error)")
        }
    }

    /// Parses a number that must be a power of two, and returns its binary logarithm.
    static func logarithm(_ text: some StringProtocol, name: String) throws(PasswordError) -> Int {
        let value = try PHCString.integer(text, name: name)
        guard value.nonzeroBitCount == 1 else { throw .malformed("'\(name)' is not a power of two") }
        return value.trailingZeroBitCount
    }
}

extension String {
    /// The fields between dollar signs, empty ones included. Bytes are compared, which is several times as fast as
    /// comparing characters.
    var dollarFields: [Substring] {
        utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
