// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

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
        String(decoding: PercentText.decodeForm(bytes), as: UTF8.self)
    }
}
