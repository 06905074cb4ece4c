// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The fields of a form or a query, parsed like the URL standard's `application/x-www-form-urlencoded`.
struct FormFields: Sendable {
    /// A login has a handful. Thousands in one request would keep an event loop for longer than a hash takes.
    static let maximumCount = 32

    private var fields: [(name: String, value: String)] = []

    /// Parses a form; `nil` if it has too many fields.
    init?(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            let pair = bytes[start..<end]
            start = end + 1
            guard !pair.isEmpty else { continue }
            guard fields.count < Self.maximumCount else { return nil }
            let nameEnd = pair.firstIndex(of: UInt8(ascii: "=")) ?? end
            fields.append((Self.decode(pair[..<nameEnd]), Self.decode(pair[nameEnd...].dropFirst())))
        }
    }

    /// The value of the first field with a name.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest[rest.startIndex]),
                let low = digit(rest[rest.startIndex + 1])
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
