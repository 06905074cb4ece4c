// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Compares the preparation of PostgreSQL with what a server made of the same passwords: 300 random ones, 10,000 with
/// `CREDKIT_DEEP`.
final class PostgreSQLPreparationTests: PreparationTestCase {
    private static let count = TestForm.isDeep ? 10_000 : 300

    /// Sets passwords on a server, and compares the keys it stores with those of the prepared passwords.
    private func compare(_ passwords: [[UInt8]], _ server: PostgreSQLServer) throws {
        var sql = "BEGIN;\n"
        for (index, password) in passwords.enumerated() {
            let escaped = password.map { "\\x\(Hex.encode([$0]))" }.joined()
            sql += "CREATE ROLE r\(index) PASSWORD E'\(escaped)';\n"
        }
        sql +=
            "SELECT substr(rolname, 2)::int AS index, rolpassword FROM pg_authid WHERE rolname ~ '^r[0-9]+$' "
        sql += "ORDER BY index;\nROLLBACK;\n"
        let rows = try server.run(sql)
        XCTAssertEqual(rows.count, passwords.count)
        var input = ""
        for (password, row) in zip(passwords, rows) {
            let prepared = try XCTUnwrap(prepared(password, by: .postgreSQL), "\(password)")
            input += "\(Hex.encode(prepared)) \(row[1])\n"
        }
        let answers = try python("verify", input: input)
        XCTAssertEqual(answers.count, passwords.count)
        for (answer, password) in zip(answers, passwords) where answer != ["1"] {
            XCTFail("PostgreSQL prepares \(Hex.encode(password)) in another way")
        }
    }

    func testEveryCodePointThatDiffersFromSASLprep() throws {
        let scalars = (0x80...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        var differing: [[UInt8]] = []
        for scalar in scalars {
            // SASLprep refuses them, so that their bytes stay as they are.
            switch scalar.properties.generalCategory {
            case .unassigned, .privateUse: continue
            default: break
            }
            let text = Array(String(scalar).utf8)
            let other = try prepared(text, by: .rfc4013)
            if try prepared(text, by: .postgreSQL) != other ?? text { differing.append(text) }
        }
        XCTAssertEqual(differing.count, 57)
        try compare(differing, PostgreSQLServer())
    }

    func testCharactersOfEachTable() throws {
        let texts = [
            // C.1.2 and B.1, alone and beside others; U+200B is in both.
            "\u{A0}", "\u{200B}", "a\u{200B}b", "a\u{3000}b\u{AD}", "\u{AD}", "\u{AD}\u{FEFF}",
            "\u{FE0F}a\u{2168}",
            // Prohibited characters, behind one that is changed otherwise.
            "\u{2168}\u{7}", "\u{2168}\u{7F}", "\u{2168}\u{80}", "\u{2168}\u{6DD}", "\u{2168}\u{E000}",
            "\u{2168}\u{F0000}", "\u{2168}\u{FFFE}", "\u{2168}\u{FFFD}", "\u{2168}\u{2FF0}",
            "\u{2168}\u{340}", "\u{2168}\u{202E}", "\u{2168}\u{E0001}", "\u{2168}\u{E0041}",
            // Unassigned characters.
            "\u{2168}😀", "\u{2168}\u{221}", "\u{2168}\u{FA70}", "\u{2168}\u{1E9E}", "\u{2168}\u{10FFFD}",
            // Directions.
            "\u{5D0}\u{AD}", "\u{AD}\u{5D0}1\u{5D0}", "\u{5D0}\u{AD}1", "1\u{AD}\u{5D0}",
            "\u{5D0}\u{AD}a\u{5D0}",
            "\u{5D0}\u{A0}\u{5D0}", "\u{5D0}\u{A0}", "\u{FB2A}\u{5D0}", "\u{5D0}\u{FB2A}",
            "\u{5D0}\u{2168}\u{5D0}",
            "\u{5D0}\u{2080}\u{5D0}", "\u{FDFA}",
            // Normalization.
            "\u{2F868}\u{2168}", "q\u{307}\u{F73}", "\u{1112}\u{1161}\u{11AB}", "\u{AC00}\u{11A7}", "\u{958}",
            "\u{1100}\u{300}\u{1161}", "\u{212B}", "A\u{323}\u{30A}", "\u{3A9}\u{345}\u{301}", "\u{1D15E}",
            String(repeating: "\u{FDFA}", count: 100), String(repeating: "\u{2168}", count: 2000),
        ]
        let bytes: [[UInt8]] = [
            [0xE2, 0x85, 0xA8, 0xFF], [0xE2, 0x85], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x85, 0xA8, 0xC2], Array(1...0x7F),
        ]
        try compare(texts.map { Array($0.utf8) } + bytes, PostgreSQLServer())
    }

    func testRandomPasswords() throws {
        var (texts, changed, unlike) = ([[UInt8]](), 0, 0)
        for fields in try python("random", "\(Self.count)", "15") {
            let text = try Hex.decode(fields[0])
            let prepared = try prepared(text, by: .postgreSQL)
            if prepared != text { changed += 1 }
            if try prepared != self.prepared(text, by: .rfc4013) ?? text { unlike += 1 }
            texts.append(text)
        }
        try compare(texts, PostgreSQLServer())
        // Otherwise the texts test little.
        XCTAssertGreaterThan(changed, Self.count / 3)
        XCTAssertGreaterThan(unlike, Self.count / 100)
    }

    /// libpq prepares the password of a login, as the server did when it stored the verifier.
    func testLoginsWithPsql() throws {
        for certificate in [nil] + PostgreSQLServer.Certificate.allCases {
            let server = try PostgreSQLServer(certificate: certificate)
            try server.run("CREATE ROLE alice LOGIN PASSWORD 'IXx'")
            // libpq has no channel binding for the signatures of Ed25519.
            let binding = certificate == .ed25519 ? "disable" : "require"
            let mode = server.certificate.map { file in
                "sslmode=verify-full sslrootcert=\(file.path) channel_binding=\(binding)"
            }
            for (password, isRight) in [("\u{2168}\u{AD}x", true), ("IXx", true), ("ixx", false)] {
                let login = try server.logIn(role: "alice", password: Array(password.utf8), mode ?? "")
                XCTAssertEqual(login.status == 0, isRight, login.errors)
                XCTAssertEqual(login.output, isRight ? "alice\n" : "")
                if !isRight { XCTAssertTrue(login.errors.contains("authentication failed"), login.errors) }
            }
            server.stop()
            let login = try? server.logIn(role: "alice", password: Array("IXx".utf8))
            XCTAssertNotEqual(login?.status, 0)
        }
    }
}
