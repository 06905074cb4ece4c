// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

// Hosts and ports, in URLs and in what Sentinels answer.
extension RedisAddress {
    /// Returns the endpoint that a text names: a host, or an IPv6 address in brackets, and perhaps a port.
    static func endpoint(_ text: Substring, port: Int) throws(Failure) -> RedisEndpoint {
        var host = text
        var digits: Substring?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":"), isIPv6Address(String(host)) else {
                throw Failure("an IPv6 address is written as [ADDRESS]:PORT")
            }
            digits = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            digits = text[text.index(after: colon)...]
            guard isName(host) else { throw Failure("a host has letters, digits, '.', '-' and '_' only") }
        } else if !isName(host) {
            throw Failure("a host has letters, digits, '.', '-' and '_' only")
        }
        guard let digits else { return .host(String(host), port) }
        guard let number = self.port(digits) else { throw Failure("a port is a number from 1 to 65535") }
        return .host(String(host), number)
    }

    /// Returns the endpoint that a Sentinel names; `nil` if it names none.
    static func endpoint(_ reply: RESPReply) -> RedisEndpoint? {
        guard case .array(let parts) = reply, parts.count == 2, case .bytes(let name) = parts[0],
            case .bytes(let digits) = parts[1], let host = String(validating: name, as: UTF8.self),
            isName(host[...]) || isIPv6Address(host),
            let port = port(String(decoding: digits, as: UTF8.self)[...])
        else { return nil }
        return .host(host, port)
    }

    /// Whether a text is a host name, an IPv4 address, or the name of a primary.
    static func isName(_ text: Substring) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether a host is this machine.
    static func isLoopback(_ host: String) -> Bool {
        let name = host.hasPrefix("::ffff:") ? String(host.dropFirst(7)) : host
        return ListenAddress(host: name, port: 0).isLoopback
    }

    private static func isIPv6Address(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: ":"))
            && text.utf8.allSatisfy { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || isHexDigit($0) }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { Character(UnicodeScalar(byte)).isHexDigit }

    private static func port(_ digits: Substring) -> Int? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ 48...57 ~= $0 }),
            let port = Int(digits), 1...65_535 ~= port
        else { return nil }
        return port
    }
}
