// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Converts IPv6 addresses to their canonical form, so that equal addresses have equal text.
enum IPv6Text {
    /// Returns an address in the form of RFC 5952, in brackets.
    ///
    /// `text` is an address in brackets, without a zone.
    static func canonical(_ text: Substring) throws(ClientError) -> String {
        let inner = text.utf8.dropFirst().dropLast()
        guard text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]"),
            inner.contains(UInt8(ascii: ":")), let address = IPAddress(Substring(inner))
        else { throw .invalidURL("invalid host: write an IPv6 address in brackets, such as [::1]") }
        return "[\(address)]"
    }
}
