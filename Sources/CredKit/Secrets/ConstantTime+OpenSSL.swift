// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

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
