// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The two forms of ECDSA signatures: HTTP has two integers of a fixed length (RFC 9421 §3.3.4), OpenSSL expects DER.
enum ECDSASignature {
    /// Converts a signature; the result is `nil` if it has the wrong length.
    ///
    /// - Parameters:
    ///   - signature: Two integers, the most significant byte first.
    ///   - integerByteCount: The length of each, at most 60, so that all lengths in the result are single bytes.
    /// - Returns: The DER form.
    static func der(of signature: [UInt8], integerByteCount: Int) -> [UInt8]? {
        guard signature.count == 2 * integerByteCount, integerByteCount <= 60 else { return nil }
        let integers =
            integer(signature[..<integerByteCount]) + integer(signature[integerByteCount...])
        return [0x30, UInt8(truncatingIfNeeded: integers.count)] + integers
    }

    /// Returns the shortest form of an integer, in which a set first bit would mean that it is negative.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
    }
}
