// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// An IP address. An IPv4 address equals the IPv6 address that it is mapped to, `::ffff:192.0.2.1`.
struct NetworkAddress: Sendable, Hashable {
    /// The 16 bytes of the address as IPv6.
    let bytes: [UInt8]

    static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    var isIPv4: Bool { bytes.starts(with: Self.mappedPrefix) }

    /// Parses an address: four decimal numbers without leading zeros, or IPv6 without brackets and zone.
    init?(_ text: some StringProtocol) {
        // The longest is an IPv6 address that ends in an IPv4 one; a NUL would end the text for inet_pton.
        guard (2...45).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        let text = String(text)
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        let status = bytes.withUnsafeMutableBytes {
            inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, $0.baseAddress)
        }
        guard status == 1 else { return nil }
        self.bytes = isIPv6 ? bytes : Self.mappedPrefix + bytes
    }

    /// Parses the address of a connection, which may have a zone: `fe80::1%eth0`.
    init?(peer: String) {
        self.init(peer.prefix { $0 != "%" })
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The address in its usual form, `192.0.2.1` or `2001:db8::1`.
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let own = isIPv4 ? Array(bytes.suffix(4)) : bytes
        let length = socklen_t(text.count)
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, own, &text, length) != nil else { return "unknown" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
