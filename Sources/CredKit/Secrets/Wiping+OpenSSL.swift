// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Overwrites memory with zeros, in a way that the compiler cannot optimize away.
package enum Wiping {
    /// Overwrites bytes with zeros.
    package static func wipe(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    }

    /// Overwrites a value with zeros.
    ///
    /// - Parameter state: A plain C struct without references that Swift would have to release. (`BitwiseCopyable`
    ///   cannot be required: SHA512_CTX contains a union, so it is not known to conform.)
    static func wipe<State>(state: inout State) {
        unsafe withUnsafeMutableBytes(of: &state) { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
