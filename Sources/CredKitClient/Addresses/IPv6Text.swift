// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// IPv6 addresses in one form, so that two texts of one address are equal.
enum IPv6Text {
    /// The address in brackets as RFC 5952 writes it.
    ///
    /// The text has an address in brackets, without a zone.
    static func canonical(_ text: Substring) throws(LoginError) -> String {
        let inner = text.utf8.dropFirst().dropLast()
        guard text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]"),
            inner.contains(UInt8(ascii: ":")), let address = IPAddress(Substring(inner))
        else { throw .invalidURL("an IPv6 address stands in brackets, as [::1]") }
        return "[\(address)]"
    }
}
