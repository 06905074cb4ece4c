// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Writes numbers and byte sequences in order. Numbers are little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ data: some Sequence<UInt8>) { bytes.append(contentsOf: data) }

    mutating func write<Number: FixedWidthInteger>(number: Number) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes a text after its length in two bytes; the length must have been checked.
    mutating func write(text: String) {
        write(number: UInt16(text.utf8.count))
        write(text.utf8)
    }
}
