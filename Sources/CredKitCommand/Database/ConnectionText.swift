// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// A connection string or URI of PostgreSQL, such as `host=db dbname=app` or `postgresql://db/app`.
enum ConnectionText {
    /// Returns whether a text contains a password, which every user of the machine could read in the list of processes.
    static func containsPassword(_ text: String) -> Bool {
        let decoded = percentDecoded(Array(text.utf8))
        for text in [Array(text.utf8), decoded] where namesPassword(text) { return true }
        guard let start = text.firstRange(of: "://") else { return false }
        // The user's name and password are before the host, which contains no at sign.
        let authority = text[start.upperBound...].prefix { $0 != "/" }
        guard let end = authority.lastIndex(of: "@") else { return false }
        return authority[..<end].contains(":")
    }

    /// Returns whether `password` or `sslpassword` and an equals sign occur, with any quotes or spaces around them.
    private static func namesPassword(_ text: [UInt8]) -> Bool {
        let lower = String(decoding: text, as: UTF8.self).lowercased()
        return lower.split(separator: "password", omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            rest.drop(while: \.isWhitespace).first == "="
        }
    }

    /// Returns whether a text certainly names this machine: a Unix socket, or a loopback address. Other servers must prove who
    /// they are, unless `sslmode` says otherwise.
    static func isLocal(_ text: String, environmentHost: String?) -> Bool {
        guard !text.contains("service"), getenv("PGSERVICE") == nil, getenv("PGHOSTADDR") == nil else {
            return false
        }
        var hosts: [Substring] = []
        if let start = text.firstRange(of: "://") {
            // A query can name hosts, too, and what is encoded can be anything.
            guard !text.contains("?"), !text.contains("%") else { return false }
            let authority = text[start.upperBound...].prefix { $0 != "/" }
            let named = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            hosts = named.split(separator: ",").map {
                $0.hasPrefix("[::1]") ? "::1" : $0.prefix { $0 != ":" }
            }
        } else {
            for setting in text.split(whereSeparator: \.isWhitespace) where setting.hasPrefix("host") {
                guard let value = setting.split(separator: "=", maxSplits: 1).dropFirst().first else {
                    return false
                }
                hosts += value.split(separator: ",")
            }
            guard !hosts.isEmpty || !text.contains("host") else { return false }
        }
        if hosts.isEmpty { hosts = (environmentHost ?? "").split(separator: ",") }
        return hosts.allSatisfy { $0.hasPrefix("/") || ["localhost", "127.0.0.1", "::1"].contains($0) }
    }

    private static func percentDecoded(_ text: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}
