// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Encodes `application/x-www-form-urlencoded`, like the serializer of the WHATWG URL standard.
enum FormEncoding {
    /// Returns `name=value&name=value`, with blanks as `+`.
    static func encode(_ fields: [(key: String, value: String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            append(field.key.utf8, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(field.value.utf8, to: &bytes)
        }
        return bytes
    }

    /// Appends a name or a value.
    static func append(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case 0x20: bytes.append(UInt8(ascii: "+"))
            // The standard's application/x-www-form-urlencoded percent-encode set excludes these.
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(PercentEncoding.digit(byte >> 4))
                bytes.append(PercentEncoding.digit(byte & 15))
            }
        }
    }
}
