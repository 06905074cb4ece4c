// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation

@testable import CredKitKeychain

/// Random items that all formats must write without breaking.
struct RandomItems {
    var generator: SeededGenerator

    /// Creates a generator with a seed that a failed test prints.
    static func seed() -> UInt64 {
        ProcessInfo.processInfo.environment["CREDKIT_TEST_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0 ... .max)
    }

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func text(_ pieces: [String], upTo count: Int = 6) -> String {
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? ""
        }
        .joined()
    }

    static let pieces = [
        "a", "B", "7", " ", ":", "=", "/", "%", ".", "-", "\"", "'", ",", ";", "<", ">", "&", "]]>", "\\",
        "é", "e\u{301}",
        "密", "😀", "@", "?", "#", "~", "url", ".gpg", "..", "{", "}", "\u{1}", "\t", "\r", "\n", "\u{FFFE}",
        "\u{2028}",
    ]

    mutating func secret() throws -> SecretBytes {
        if Int.random(in: 0..<8, using: &generator) == 0 {
            return try SecretBytes((0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        return try SecretBytes(text(Self.pieces, upTo: 12))
    }

    mutating func credential() throws -> Credential {
        let services = [
            "example.com", "otp:x", "note:mail", "field:mail", "mail", "https://a.example/x",
            text(Self.pieces),
        ]
        var attributes: [String: String] = [:]
        for name in ["url", "folder", "path", "field", "number", "a:b", "x", text(Self.pieces)]
        where Bool.random(using: &generator) {
            guard !name.isEmpty else { continue }
            let values = [
                "", "2", "https://u:p@h.example/?q", "https://h.example/", "Work/Mail", text(Self.pieces),
            ]
            attributes[name] = values.randomElement(using: &generator)
        }
        var service = services.randomElement(using: &generator) ?? "s"
        if service.isEmpty { service = "s" }
        let account = [nil, "", "alice", text(Self.pieces)].randomElement(using: &generator) ?? nil
        let key = CredentialKey(service: service, account: account, attributes: attributes)
        let labels = [nil, "", service, text(Self.pieces)]
        var item = CredentialItem(key: key, label: labels.randomElement(using: &generator) ?? nil)
        if Bool.random(using: &generator) { item.contentType = "application/octet-stream" }
        for path in [\CredentialItem.created, \.modified] where Bool.random(using: &generator) {
            let milliseconds = Int.random(in: 0...4_000_000_000_000, using: &generator)
            item[keyPath: path] = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        return Credential(item: item, secret: try secret())
    }

    /// Returns items with keys of their own.
    mutating func credentials(_ count: Int) throws -> [Credential] {
        var keys: Set<CredentialKey> = []
        var credentials: [Credential] = []
        while credentials.count < count {
            let credential = try credential()
            if keys.insert(credential.item.key).inserted { credentials.append(credential) }
        }
        return credentials
    }
}
