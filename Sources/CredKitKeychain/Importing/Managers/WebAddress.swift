// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The parts of an address that may become public: neither user information, which can contain a password, nor query and
/// fragment, which can contain tokens.
struct WebAddress {
    /// The public part; `nil` if it cannot be told apart.
    let publicPart: String?
    /// The host in lowercase, with the port if there is one.
    let host: String?
    /// Whether the public part is the whole address.
    let isWhole: Bool

    init(_ address: SecretBytes) {
        (publicPart, host, isWhole) = address.withSecretBytes { (bytes) -> (String?, String?, Bool) in
            let (all, isText) = (bytes.indices.map { bytes[$0] }, address.isUTF8)
            guard isText, !all.isEmpty, !all.contains(0), all.count <= StoreLimits.nameByteCount else {
                return (nil, nil, false)
            }
            let end = all.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? all.count
            var start = 0
            var text = all[..<end]
            if let colon = text.firstIndex(of: UInt8(ascii: ":")), text[colon...].starts(with: "://".utf8) {
                start = colon + 3
            } else if all.contains(UInt8(ascii: "@")) {
                return (nil, nil, false)
            }
            let slash =
                text[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") } ?? end
            // A program of KeePass, and an address whose beginning browsers would repair.
            guard slash > start, !text.starts(with: "cmd:".utf8) else { return (nil, nil, false) }
            // Browsers end the host at a backslash; others do not.
            guard text[slash...].first != UInt8(ascii: "\\") || !all.contains(UInt8(ascii: "@")) else {
                return (nil, nil, false)
            }
            var hostStart = start
            if let sign = text[start..<slash].lastIndex(of: UInt8(ascii: "@")) { hostStart = sign + 1 }
            let host = text[hostStart..<slash].map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
            text.removeSubrange(start..<hostStart)
            let isWhole = text.count == all.count
            return (
                String(decoding: text, as: UTF8.self),
                host.isEmpty ? nil : String(decoding: host, as: UTF8.self),
                isWhole
            )
        }
    }
}
