// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension String {
    /// Creates a string of ASCII characters. A slice of an array would count a reference to it.
    @inline(__always)
    init(ascii bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
