// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Normalized names for the origins of requests.
public enum ClientAddress {
    /// Returns the name under which an address is counted.
    ///
    /// For an IPv6 address this is its 64-bit network, `2001:db8::/64`, since a client with one address usually has all
    /// 2⁶⁴. An IPv4 address stays as it is, also if it is written as IPv6: mapped (`::ffff:192.0.2.1`), or with the well-known
    /// prefix of translators (`64:ff9b::192.0.2.1`, RFC 6052), behind which all clients would otherwise be one. Any other text
    /// is returned unchanged.
    ///
    /// Behind a reverse proxy, use the address that the proxy states, and only from your own proxy: any client can send
    /// the header X-Forwarded-For. In credkit-server, `TrustedProxies` finds that address, and `ServerContext` passes it
    /// here.
    ///
    /// - Parameter address: An address as text, with or without a zone (`fe80::1%eth0`).
    /// - Returns: The name.
    public static func rateLimitKey(for address: String) -> String {
        let text = String(address.prefix { $0 != "%" })
        guard text.utf8.count <= 45, text.utf8.contains(UInt8(ascii: ":")) else { return address }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe bytes.withUnsafeMutableBytes({ unsafe inet_pton(AF_INET6, text, $0.baseAddress) }) == 1
        else {
            return address
        }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)
        if bytes.starts(with: mapped) || bytes.starts(with: translated) {
            return bytes[12...].map { "\($0)" }.joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
