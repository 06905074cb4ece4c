// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Names that stores confuse if they compare strings by Unicode, end them at a NUL, cut them, or put them into commands.
enum HostileNames {
    /// The names, all different in their bytes. Neighbours may be equal as Swift strings.
    static let all = [
        "", " ", "alice", "alice ", "Alice", "alice\0", "alice\0bob", "\0", "\u{E9}", "e\u{301}", "K",
        "\u{212A}",
        "' OR '1'='1", "\"; DROP TABLE users; --", "{}:*?[a]", "%s\\n\r\n", "\u{202E}ecila", "💧", "🇨🇳",
        String(repeating: "x", count: 1 << 16), String(repeating: "x", count: 1 << 16) + "y",
    ]

    /// A prefix of names that is different in each run, so that a shared store may keep the names of earlier runs.
    static func uniquePrefix() -> String {
        "\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))-"
    }

    /// Returns whether two names have the same bytes.
    static func areEqual(_ left: String?, _ right: String?) -> Bool {
        left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
    }
}
