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
            guard address.isUTF8, let parts = Parts(bytes) else { return (nil, nil, false) }
            let ranges = [0..<parts.start, parts.hostStart..<parts.end]
            let host = (parts.hostStart..<parts.hostEnd).map {
                0x41...0x5A ~= bytes[$0] ? bytes[$0] | 0x20 : bytes[$0]
            }
            return (
                String(decoding: ranges.joined().map { bytes[$0] }, as: UTF8.self),
                host.isEmpty ? nil : String(decoding: host, as: UTF8.self),
                parts.end == bytes.count && parts.hostStart == parts.start
            )
        }
    }

    /// Where the parts of an address begin and end. Nothing is copied: it may contain a password.
    private struct Parts {
        /// After `https://`, before user information.
        var start = 0
        var hostStart = 0
        var hostEnd: Int
        /// Before query and fragment.
        let end: Int

        /// Returns `nil` if it is not certain which part is the host.
        init?(_ bytes: Span<UInt8>) {
            func first(_ range: Range<Int>, _ characters: String) -> Int? {
                range.first { characters.utf8.contains(bytes[$0]) }
            }
            let all = 0..<bytes.count
            guard !all.isEmpty, all.upperBound <= StoreLimits.nameByteCount, first(all, "\0") == nil else {
                return nil
            }
            end = first(all, "?#") ?? all.upperBound
            if let colon = first(0..<end, ":"), colon + 2 < end, bytes[colon + 1] == UInt8(ascii: "/"),
                bytes[colon + 2] == UInt8(ascii: "/")
            {
                start = colon + 3
            } else if first(all, "@") != nil {
                return nil
            }
            hostEnd = first(start..<end, "/\\") ?? end
            // A program of KeePass, and an address whose beginning browsers would repair.
            guard hostEnd > start, !Self.isProgram(bytes) else { return nil }
            hostStart = start
            for index in start..<hostEnd where bytes[index] == UInt8(ascii: "@") { hostStart = index + 1 }
            // User information with a character that should have been encoded ends here for some programs and goes on for
            // others, as browsers end a host at a backslash.
            let isFollowed = first(hostEnd..<all.upperBound, "@") != nil
            let hasPort = first(hostStart..<hostEnd, ":") != nil
            let endsEarly = hostEnd == end || bytes[hostEnd] == UInt8(ascii: "\\")
            guard !isFollowed || !(hasPort || endsEarly), Self.isHost(hostStart..<hostEnd, bytes) else {
                return nil
            }
        }

        private static func isProgram(_ bytes: Span<UInt8>) -> Bool {
            let scheme = Array("cmd:".utf8)
            return bytes.count >= scheme.count
                && scheme.indices.allSatisfy { bytes[$0] | 0x20 == scheme[$0] | 0x20 }
        }

        /// Returns whether only digits follow the colon of a host, which may be an IPv6 address in brackets.
        private static func isHost(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
            var start = range.lowerBound
            if let bracket = range.last(where: { bytes[$0] == UInt8(ascii: "]") }) { start = bracket + 1 }
            guard let colon = (start..<range.upperBound).first(where: { bytes[$0] == UInt8(ascii: ":") })
            else {
                return true
            }
            return (colon + 1..<range.upperBound).allSatisfy { 0x30...0x39 ~= bytes[$0] }
        }
    }
}
