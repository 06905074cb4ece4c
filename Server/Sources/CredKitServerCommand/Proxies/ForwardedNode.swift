// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Whom a proxy had a request from, as it states it.
enum ForwardedNode: Sendable, Equatable {
    case address(NetworkAddress)
    /// The proxy does not know it, or hides it: `unknown`, `_hidden`.
    case hidden

    /// Parses the value of the parameter `for` (RFC 7239, section 6), or an entry of `X-Forwarded-For`.
    ///
    /// - Parameters:
    ///   - text: The value, without the quotes around it.
    ///   - allowsBareIPv6: Whether an IPv6 address may stand without brackets, as it does in `X-Forwarded-For`.
    init?(_ text: some StringProtocol, allowsBareIPv6: Bool) {
        guard text.utf8.count <= 256 else { return nil }
        if allowsBareIPv6, text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1,
            let address = NetworkAddress(text)
        {
            self = .address(address)
            return
        }
        let name: Substring
        let port: Substring?
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = Substring(text[..<end].dropFirst())
            let rest = Substring(text[text.index(after: end)...])
            guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard name.utf8.contains(UInt8(ascii: ":")) else { return nil }
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            name = Substring(parts[0])
            port = parts.count == 2 ? Substring(parts[1]) : nil
            guard !name.utf8.contains(UInt8(ascii: ":")) else { return nil }
        }
        guard port.map(Self.isPort) ?? true else { return nil }
        if let address = NetworkAddress(name) {
            self = .address(address)
        } else if name.lowercased() == "unknown" || Self.isObfuscated(name) {
            self = .hidden
        } else {
            return nil
        }
    }

    private static func isPort(_ text: Substring) -> Bool {
        if text.utf8.allSatisfy({ 48...57 ~= $0 }) {
            return (1...5).contains(text.utf8.count) && UInt16(text) != nil
        }
        return isObfuscated(text)
    }

    private static func isObfuscated(_ text: Substring) -> Bool {
        text.utf8.count > 1 && text.utf8.first == UInt8(ascii: "_")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: "._-".utf8.contains(byte)
                }
            }
    }
}
