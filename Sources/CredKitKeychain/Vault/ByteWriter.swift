// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Puts numbers and runs of bytes one after the other. Numbers are little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ data: some Sequence<UInt8>) { bytes.append(contentsOf: data) }

    mutating func write<Number: FixedWidthInteger>(number: Number) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Text behind its length in two bytes; lengths were checked before.
    mutating func write(text: String) {
        write(number: UInt16(text.utf8.count))
        write(text.utf8)
    }
}
