// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension UnsafeMutableRawBufferPointer {
    /// Copies bytes to the front of the buffer, and then moves the start of the buffer behind them.
    mutating func take(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe copyMemory(from: $0) }
        unsafe self = UnsafeMutableRawBufferPointer(rebasing: self[bytes.count...])
    }
}
