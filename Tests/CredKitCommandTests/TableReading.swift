// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// What `credkit audit` and `credkit upgrade` read in tables of databases, spreadsheets and other programs.
enum TableReading {
    static let md5 = "f433c50293bc7afbe20b67ceb15a1e55"
    static let sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="
    static let cheap = "--memory 64KiB --passes 1"

    struct Audit: Decodable {
        let records, comments, accounts, empty, locked, unrecognized, incomplete, malformed: Int
    }

    struct Upgrade: Decodable {
        let layered, kept, problems: Int
    }

    /// Runs both commands on a table, and returns what they counted and wrote.
    static func read(
        _ table: String,
        as name: String = "in.csv",
        _ options: String,
        status: Int32 = 0
    ) throws -> (audit: Audit, upgrade: Upgrade, output: String, errors: String) {
        let shell = try Shell()
        defer { shell.remove() }
        try Data(table.utf8).write(to: shell.folder.appendingPathComponent(name))
        let audit = try shell.run("credkit audit --json \(cheap) \(options) \(name)")
        #expect(audit.status == status, "\(audit.errors)")
        let upgrade = try shell.run(
            "credkit upgrade --allow-incompatible --json \(cheap) \(options) --input \(name) --output out.\(name)"
        )
        #expect(upgrade.status == status, "\(upgrade.errors)")
        let decoder = JSONDecoder()
        return (
            try decoder.decode(Audit.self, from: audit.output),
            try decoder.decode(Upgrade.self, from: upgrade.output),
            try shell.run("cat out.\(name)").text, audit.errors + upgrade.errors
        )
    }

    static func context() throws -> PasswordContext {
        var policy = PasswordPolicy.recommended
        policy.preferred = try .argon2id(memory: .kibibytes(64), passes: 1)
        return try PasswordContext(policy: policy)
    }
}
