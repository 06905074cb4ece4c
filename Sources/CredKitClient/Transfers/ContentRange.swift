// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The value of a Content-Range, RFC 9110 section 14.4.
enum ContentRange: Hashable, Sendable {
    /// The positions of the first and the last byte, and the size of the whole; `nil` if the server does not know it.
    case bytes(first: Int64, last: Int64, total: Int64?)
    /// The size of the whole, which has no byte of the range that was asked for.
    case unsatisfied(total: Int64)

    /// Parses a value. Returns `nil` if it is malformed or has another unit than bytes.
    init?(_ text: String) {
        let bytes = text.utf8
        guard ASCIIText.hasPrefix(text, ignoringCase: "bytes "),
            let slash = bytes.firstIndex(of: UInt8(ascii: "/"))
        else { return nil }
        let range = bytes[..<slash].dropFirst(6)
        let size = bytes[slash...].dropFirst()
        let isUnknown = size.elementsEqual([UInt8(ascii: "*")])
        let total = Self.number(size)
        guard isUnknown || total != nil else { return nil }
        if range.elementsEqual([UInt8(ascii: "*")]) {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")),
            let first = Self.number(range[..<dash]), let last = Self.number(range[dash...].dropFirst()),
            first <= last, total.map({ last < $0 }) ?? (last < .max)
        else { return nil }
        self = .bytes(first: first, last: last, total: total)
    }

    /// Parses the only Content-Range of a response; `nil` if there is none, or several, or a malformed one.
    init?(_ head: HTTPResponse) {
        let fields = head.headerFields.filter { $0.name == .contentRange }
        guard fields.count == 1, let range = Self(fields[0].value) else { return nil }
        self = range
    }

    /// Parses decimal digits, and nothing else.
    static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.count <= 19, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
