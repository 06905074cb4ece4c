// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The origin of a site that the server protects, such as `https://wiki.example.org`.
struct SiteOrigin: Sendable, Hashable, ExpressibleByArgument {
    /// The origin as browsers send it: in lower case, without the default port and without a slash at its end.
    let text: String
    /// The name or the IPv4 address of the host.
    let host: String

    /// Parses an origin. Without TLS it must be on this machine, since browsers send its cookies over TLS alone.
    init?(argument: String) {
        guard argument.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        var text = argument.lowercased()
        if text.hasSuffix("/") { text.removeLast() }
        let isEncrypted = text.hasPrefix("https://")
        guard isEncrypted || text.hasPrefix("http://") else { return nil }
        let parts = text.dropFirst(isEncrypted ? 8 : 7)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        host = String(parts[0])
        guard Self.isHostName(host) else { return nil }
        guard isEncrypted || host == "localhost" || host == "127.0.0.1" else { return nil }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1],
                port != (isEncrypted ? 443 : 80)
            else { return nil }
        }
        self.text = text
    }

    /// Returns whether a text in lower case is the name of a host: labels of letters, digits and hyphens.
    static func isHostName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.allSatisfy { isLabel($0) }
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else {
            return false
        }
        return label.allSatisfy { byte in
            switch byte {
            case 48...57, 97...122, hyphen: true
            default: false
            }
        }
    }
}
