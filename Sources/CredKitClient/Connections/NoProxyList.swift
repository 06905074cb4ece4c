// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The hosts to reach without a proxy: the value of `no_proxy`, read as curl does.
///
/// A name matches itself and the names below it, with or without a leading dot. An address matches itself or,
/// with a prefix length, a network (curl 7.86). `*` alone matches every host. Ports are ignored. A prefix
/// length that is not a number or is too large matches nothing; 0 matches the address alone.
struct NoProxyList: Sendable, Hashable {
    private enum Entry: Sendable, Hashable {
        case name(String)
        case network(IPAddress, bitCount: Int)
    }

    private var entries: [Entry] = []
    private let matchesAll: Bool

    /// Parses a list whose entries are separated by commas, blanks or tabs.
    init(_ text: String) {
        matchesAll = text == "*"
        let separators = ", \t".utf8
        for part in Substring(text).utf8.split(whereSeparator: { separators.contains($0) }) {
            if let entry = Self.entry(part) { entries.append(entry) }
        }
    }

    /// Whether the list contains an origin's host: a lowercase name without a final dot, an IPv4 address, or
    /// an IPv6 address in brackets.
    func contains(_ host: String) -> Bool {
        if matchesAll { return true }
        guard !entries.isEmpty else { return false }
        let bytes = Substring(host).utf8
        let isBracketed = bytes.first == UInt8(ascii: "[")
        if let address = IPAddress(isBracketed ? Substring(bytes.dropFirst().dropLast()) : Substring(host)) {
            return entries.contains { entry in
                guard case .network(let network, let count) = entry else { return false }
                return address.hasPrefix(of: network, bitCount: count)
            }
        }
        return entries.contains { entry in
            guard case .name(let name) = entry else { return false }
            return Self.isSame(name, orAbove: bytes)
        }
    }

    private static func isSame(_ name: String, orAbove host: Substring.UTF8View) -> Bool {
        let difference = host.count - name.utf8.count
        guard difference >= 0, host.dropFirst(difference).elementsEqual(name.utf8) else { return false }
        return difference == 0 || host.dropFirst(difference - 1).first == UInt8(ascii: ".")
    }

    private static func entry(_ part: Substring.UTF8View) -> Entry? {
        let slash = part.firstIndex(of: UInt8(ascii: "/"))
        var address = part[..<(slash ?? part.endIndex)]
        if address.first == UInt8(ascii: "["), address.last == UInt8(ascii: "]") {
            address = address.dropFirst().dropLast()
        }
        if let address = IPAddress(Substring(address)) {
            let all = address.bytes.count * 8
            guard let slash else { return .network(address, bitCount: all) }
            let digits = part[part.index(after: slash)...]
            guard digits.count <= 3, digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let count = Int(Substring(digits)), count <= all
            else { return nil }
            return .network(address, bitCount: count == 0 ? all : count)
        }
        var name = part
        if name.last == UInt8(ascii: ".") { name = name.dropLast() }
        if name.first == UInt8(ascii: ".") { name = name.dropFirst() }
        guard !name.isEmpty, name.allSatisfy({ $0 < 0x80 }) else { return nil }
        return .name(Substring(name).lowercased())
    }
}
