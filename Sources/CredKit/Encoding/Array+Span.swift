// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends bytes from where they are. Appending an array or a string also counts a reference to it.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
