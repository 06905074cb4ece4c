// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

/// The inner loops for hexadecimal digits. Their time depends only on lengths, except that decoding stops at the
/// first character that is not a digit.
enum HexKernel {
    /// Encodes bytes; the target must have room for twice as many.
    static func encode(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>?) {
        unsafe credkit_hex_encode(source.baseAddress, source.count, target)
    }

    /// Decodes digits; the target must have room for half as many bytes, rounded down. Returns the index of the first
    /// character that is not a digit, or the count.
    static func decode(_ source: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>?) -> Int {
        unsafe credkit_hex_decode(source.baseAddress, source.count, target)
    }
}
