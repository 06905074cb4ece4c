// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Converts the host of a URL to its canonical form.
enum HostText {
    /// Returns a lowercase name without a final dot, an IPv4 address, or an IPv6 address in brackets.
    static func canonical(_ text: Substring) throws(ClientError) -> String {
        if text.utf8.first == UInt8(ascii: "[") { return try IPv6Text.canonical(text) }
        // Checked before lowercasing, which turns a Kelvin sign into a 'k'.
        guard text.utf8.allSatisfy(isAllowed), text.utf8.count <= 254 else { throw unreadable }
        var host = text.lowercased()
        if host.utf8.last == UInt8(ascii: ".") { host.removeLast() }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, let last = labels.last, labels.allSatisfy({ !$0.isEmpty }) else {
            throw unreadable
        }
        // A host that ends in a number must be an IPv4 address, because resolvers also read '127.1' and
        // '0x7f.1' as addresses.
        if last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || last.hasPrefix("0x") {
            let isAddress =
                labels.count == 4
                && labels.allSatisfy { label in UInt8(label).map { String($0) == label } ?? false }
            guard isAddress else {
                throw .invalidURL(
                    "invalid host: an IPv4 address has four numbers from 0 to 255, no leading zeros"
                )
            }
        }
        return host
    }

    private static var unreadable: ClientError {
        .invalidURL(
            "invalid host: only letters, digits, '-' and '.' are allowed (write other names in ASCII, xn--…)"
        )
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
