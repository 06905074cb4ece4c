// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An IPv4 or IPv6 address, without a zone.
struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes, most significant first.
    let bytes: [UInt8]

    /// The address in the form of RFC 5952, without brackets.
    let description: String

    /// Parses an address; `nil` for other text. Short forms of IPv4 addresses such as `127.1` are rejected.
    ///
    /// - Parameter text: Four numbers from 0 to 255 without leading zeros, or an IPv6 address without brackets.
    init?(_ text: some StringProtocol) {
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        // The C functions stop at a NUL.
        guard text.utf8.count <= 45, text.utf8.allSatisfy({ Self.isAllowed($0) }) else { return nil }
        let family = isIPv6 ? AF_INET6 : AF_INET
        var storage: [UInt8] = Array(repeating: 0, count: isIPv6 ? 16 : 4)
        guard unsafe inet_pton(family, String(text), &storage) == 1 else { return nil }
        let canonical = unsafe withUnsafeTemporaryAllocation(
            of: CChar.self,
            capacity: Int(INET6_ADDRSTRLEN)
        ) { buffer in
            let written = unsafe inet_ntop(family, &storage, buffer.baseAddress, socklen_t(buffer.count))
            return unsafe written.map { unsafe String(cString: $0) }
        }
        guard let canonical else { return nil }
        bytes = storage
        description = canonical
    }

    /// Whether this is 127.0.0.0/8 or `::1`.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }

    /// Whether the first `bitCount` bits equal those of another address of the same family.
    func hasPrefix(of other: IPAddress, bitCount: Int) -> Bool {
        guard bytes.count == other.bytes.count, (0...bytes.count * 8).contains(bitCount) else { return false }
        let (whole, rest) = bitCount.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        URLBytes.isHexDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }
}

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
