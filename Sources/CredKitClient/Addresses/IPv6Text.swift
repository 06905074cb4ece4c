// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// IPv6 addresses in one form, so that two texts of one address are equal.
enum IPv6Text {
    /// The address in brackets as RFC 5952 writes it.
    ///
    /// - Parameter text: An address in brackets, without a zone.
    static func canonical(_ text: Substring) throws(LoginError) -> String {
        guard text.hasPrefix("["), text.hasSuffix("]"), text.utf8.count <= 48 else {
            throw .invalidURL("an IPv6 address stands in brackets, as [::1]")
        }
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1 else {
            throw .invalidURL("an IPv6 address stands in brackets, as [::1]")
        }
        let canonical = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
            buffer in
            let written = unsafe inet_ntop(AF_INET6, &address, buffer.baseAddress!, socklen_t(buffer.count))
            return unsafe written.map { unsafe String(cString: $0) }
        }
        guard let canonical else { throw .invalidURL("an IPv6 address stands in brackets, as [::1]") }
        return "[\(canonical)]"
    }
}
