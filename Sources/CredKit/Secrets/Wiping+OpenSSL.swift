// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Overwrites memory with zeros, in a way that the compiler cannot leave out.
package enum Wiping {
    /// Overwrites bytes.
    package static func wipe(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    }

    /// - Parameter state: A plain C struct: nothing that Swift would have to release. (SHA512_CTX has a union in
    ///   it, and so is not known to be `BitwiseCopyable`.)
    static func wipe<State>(state: inout State) {
        unsafe withUnsafeMutableBytes(of: &state) { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
