// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// IPv6 addresses in one form, so that two texts of one address are equal.
enum IPv6Text {
    /// The address in brackets as RFC 5952 writes it.
    ///
    /// The text has an address in brackets, without a zone.
    static func canonical(_ text: Substring) throws(LoginError) -> String {
        let inner = text.utf8.dropFirst().dropLast()
        // The C function would read as far as a NUL only.
        guard text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]"), inner.count <= 45,
            inner.allSatisfy({ URLBytes.isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
            )
        else { throw unreadable }
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, String(Substring(inner)), &address) == 1 else { throw unreadable }
        let canonical = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN))
        {
            buffer in
            let written = unsafe inet_ntop(AF_INET6, &address, buffer.baseAddress, socklen_t(buffer.count))
            return unsafe written.map { unsafe String(cString: $0) }
        }
        guard let canonical else { throw unreadable }
        return "[\(canonical)]"
    }

    private static var unreadable: LoginError { .invalidURL("an IPv6 address stands in brackets, as [::1]") }
}
