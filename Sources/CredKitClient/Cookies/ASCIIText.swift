// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Text as RFC 6265bis compares it: byte by byte, the ASCII letters in lower case. `String` would take other
/// characters for equal, too.
enum ASCIIText {
    static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether text begins with a text that is in lower case.
    static func hasPrefix(_ text: String, ignoringCase prefix: String) -> Bool {
        text.utf8.count >= prefix.utf8.count
            && zip(text.utf8, prefix.utf8).allSatisfy {
                (0x41...0x5A).contains($0) ? $0 | 0x20 == $1 : $0 == $1
            }
    }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }
}
