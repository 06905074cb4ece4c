// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Comparisons whose duration does not depend on the compared content.
public enum ConstantTime {
    /// Returns whether two byte sequences are equal, in a time that depends on their lengths only.
    ///
    /// Returns at once if the lengths differ: a length is not a secret here.
    ///
    /// - Parameters:
    ///   - left: One sequence.
    ///   - right: The other.
    /// - Returns: Whether they are equal.
    public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        left.count == right.count && haveEqualBytes(left, right)
    }

    /// Returns whether two byte sequences are equal, in a time that depends on their lengths only.
    ///
    /// Returns at once if the lengths differ: a length is not a secret here.
    ///
    /// - Parameters:
    ///   - left: One sequence; an array, a `String.UTF8View`, a ``MessageDigest`` …
    ///   - right: The other.
    /// - Returns: Whether they are equal.
    @inlinable
    public static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.withContiguousSpan { left in right.withContiguousSpan { right in areEqual(left, right) } }
    }
}

extension ConstantTime {
    /// Returns whether two sequences of the same length are equal.
    static func haveEqualBytes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }
}
