// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Compares text as RFC 6265bis does: byte by byte, with ASCII letters in lower case. `String` would also
/// treat other characters as equal.
enum ASCIIText {
    static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether a text begins with a lowercase prefix, ignoring the case of ASCII letters.
    static func hasPrefix(_ text: String, ignoringCase prefix: String) -> Bool {
        text.utf8.count >= prefix.utf8.count
            && zip(text.utf8, prefix.utf8).allSatisfy {
                (0x41...0x5A).contains($0) ? $0 | 0x20 == $1 : $0 == $1
            }
    }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let areEqual = unsafe left.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.utf8.withContiguousStorageIfAvailable { right in
                unsafe left.elementsEqual(right)
            }
        }
        // A string of Foundation may be stored in another way.
        return (areEqual ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }
}
