// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Overwrites memory with zeros, in a way that the compiler cannot optimize away.
package enum Wiping {
    /// Overwrites bytes with zeros.
    package static func wipe(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe wipe(UnsafeMutableRawBufferPointer(buffer))
    }

    /// Overwrites memory with zeros.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        if let start = memory.baseAddress { unsafe explicit_bzero(start, memory.count) }
    }

    /// Overwrites a value with zeros.
    ///
    /// - Parameter state: A plain C struct without references that Swift would have to release. (`BitwiseCopyable`
    ///   cannot be required: SHA512_CTX contains a union, so it is not known to conform.)
    static func wipe<State>(state: inout State) {
        unsafe withUnsafeMutableBytes(of: &state) { unsafe wipe($0) }
    }
}
