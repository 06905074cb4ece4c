// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// What servers, files and other programs supply is shown on a terminal, but a terminal does not act on it.
final class TerminalOutputTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }

    override func tearDown() { shell.remove() }

    /// Runs a command on a pseudo-terminal.
    private func screen(_ command: String, _ status: Int = 0, line: UInt = #line) throws -> String {
        let session = try TerminalSession(shell, ["bash", "-c", command], [])
        XCTAssertEqual(session.status, status, session.screen, line: line)
        return session.screen
    }

    private func percentEncoded(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Characters that a terminal acts on, and their escapes.
    private static let hostile =
        "\u{1B}]0;x\u{7}\u{9B}31m\u{202E}\u{2066}\u{200F}\u{61C}\u{7F}\u{200B}\u{FEFF}"
    private static let escaped =
        #"\033]0;x\a\302\23331m\342\200\256\342\201\246\342\200\217\330\234\177\342\200\213\357\273\277"#

    func testTextOfAResponseIsEscapedOnATerminalOnly() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        // The server writes each of these characters as one byte, so that UTF-8 arrives.
        let body = String(
            String.UnicodeScalarView("a\tZoë 王\r\n\(Self.hostile)b\r".utf8.map { Unicode.Scalar($0) })
        )
        let command = "credkit request http://127.0.0.1:\(server.port)/text?body=\(percentEncoded(body))"
        XCTAssertEqual(try screen(command), "a\tZoë 王\r\n\(Self.escaped)b\\r")
        XCTAssertEqual(try shell.run(command).text, "a\tZoë 王\r\n\(Self.hostile)b\r")
        // Naming standard output asks for the bytes, as with curl.
        let raw = try screen("\(command) -o -")
        XCTAssertTrue(raw.contains("\u{1B}]0;x\u{7}"), raw)
        _ = try screen("\(command) -o body; credkit base64 -d -i <(credkit base64 < body) | cmp - body")
        XCTAssertEqual(
            try Data(contentsOf: shell.folder.appendingPathComponent("body")),
            Data("a\tZoë 王\r\n\(Self.hostile)b\r".utf8)
        )
        // A byte that is not UTF-8.
        XCTAssertEqual(
            try screen("credkit request http://127.0.0.1:\(server.port)/text?body=%C2%9B%C3%A9x"),
            #"\233\351x"#
        )
    }

    func testBinaryBodyIsNotPrintedOnATerminal() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/text?body=%C2%89PNG%00%1B%5B31m"
        let refused = try screen("credkit request \(url)", 74)
        XCTAssertTrue(refused.hasPrefix("credkit: the body of the response is binary"), refused)
        XCTAssertFalse(refused.contains("PNG"), refused)
        let failed = try screen("credkit request \(url)\\&status=404", 1)
        XCTAssertTrue(failed.contains("binary") && failed.contains("status 404"), failed)
        let withHead = try screen("credkit request -i \(url)", 74)
        XCTAssertTrue(withHead.hasPrefix("HTTP 200 OK\r\n"), withHead)
        for command in ["credkit request \(url) | cat -v", "credkit request \(url) -o - | cat -v"] {
            XCTAssertEqual(try screen(command), "M-^IPNG^@^[[31m")
        }
    }

    func testHeadOfAResponseIsEscapedOnATerminal() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        let text = try screen("credkit request -i http://127.0.0.1:\(server.port)/headers")
        XCTAssertTrue(text.contains(#"X-Evil: \23331mred\342\200\256"#), text)
        let colored = try screen("credkit request -i http://127.0.0.1:\(server.port)/text?header=%1B%5B31m")
        XCTAssertTrue(colored.contains(#"X-Text: \033[31m"#), colored)
    }

    func testNamesOfItemsAreEscaped() throws {
        let hostile = Self.hostile
        let name = shell.folder.appendingPathComponent("name")
        try Data(hostile.utf8).write(to: name)
        _ = try shell.run(
            #"printf s3cret | credkit keychain set "$(cat name)" "$(cat name)" --attribute "a=$(cat name)""#
        )
        for command in ["list", "list service=$(cat name)"] {
            XCTAssertEqual(
                try screen("credkit keychain \(command)"),
                "\(Self.escaped)\t\(Self.escaped)\ta=\(Self.escaped)\r\n"
            )
        }
        for command in [
            "get x$(cat name)", "delete x$(cat name)", "list --vault x$(cat name)",
            "doctor --deep --vault x$(cat name)",
        ] {
            let session = try TerminalSession(shell, ["bash", "-c", "credkit keychain \(command)"], [])
            XCTAssertFalse(
                hostile.unicodeScalars.dropFirst(1).contains { isActedOn($0, session.screen) },
                session.screen
            )
        }
        _ = try shell.run(#"printf x > "$(cat name)"; printf 'a:$x\n' > table"#)
        for command in ["hash md5 $(cat name)", "hash md5 --tag $(cat name)", "hash md5 --json $(cat name)"] {
            let shown = try screen("credkit \(command)")
            XCTAssertFalse(hostile.unicodeScalars.contains { isActedOn($0, shown) }, shown)
        }
        XCTAssertTrue(try shell.run("credkit hash md5 $(cat name)").text.hasSuffix("  \(hostile)\n"))
    }

    /// Whether a terminal got a character of the hostile text that it acts on.
    private func isActedOn(_ scalar: Unicode.Scalar, _ screen: String) -> Bool {
        !"]0;x31m".unicodeScalars.contains(scalar) && screen.unicodeScalars.contains(scalar)
    }

    func testSecretIsPrintedUnchangedOnATerminal() throws {
        // As with pass and secret-tool.
        _ = try shell.run("printf 'a\\033[31m\\tb' | credkit keychain set s")
        XCTAssertEqual(try screen("credkit keychain get s"), "a\u{1B}[31m\tb\r\n")
    }

    func testJSONIsPrintableAndKeepsEveryByte() throws {
        try Data(Self.hostile.utf8).write(to: shell.folder.appendingPathComponent("name"))
        _ = try shell.run(
            #"credkit keychain set "$(cat name)" "$(cat name)" --attribute "a$(cat name)=$(cat name)" < name"#
        )
        for command in [
            "keychain list --json", "keychain list --json account=$(cat name)",
            "keychain get --json $(cat name) $(cat name)",
        ] {
            let json = try shell.run("credkit \(command)").output
            XCTAssertEqual(json.last, 10, command)
            XCTAssertTrue(
                json.dropLast().allSatisfy { (0x20...0x7E).contains($0) },
                String(decoding: json, as: UTF8.self)
            )
            let object = try JSONSerialization.jsonObject(with: json) as? [String: Any]
            for key in ["service", "account", "secret"] where object?[key] != nil {
                XCTAssertEqual(
                    (object?[key] as? String).map { Array($0.utf8) },
                    Array(Self.hostile.utf8),
                    key
                )
            }
            let attributes = try XCTUnwrap(object?["attributes"] as? [String: String])
            XCTAssertEqual(attributes.map { Array($0.key.utf8) }, [Array("a\(Self.hostile)".utf8)])
            XCTAssertEqual(attributes.map { Array($0.value.utf8) }, [Array(Self.hostile.utf8)])
        }
    }

    func testNameOfAKeyIsEscapedInItsPrompt() throws {
        _ = try shell.run(#"printf 'a\033[31m\302\233' > name"#)
        let session = try TerminalSession(
            shell,
            [
                "bash", "-c",
                "credkit hash argon2id --pepper \"$(cat name)=/dev/tty\" --password-file name",
            ],
            [["Key a", "k\n"]]
        )
        XCTAssertTrue(session.screen.hasPrefix(#"Key a\033[31m\302\233: "#), session.screen)
    }

    func testArgumentCannotPassForALineOfAnError() throws {
        // The accent belongs to the same character as the quote before it.
        let outcome = try shell.run(
            "credkit hash legacy timestamp --key-phrase x --now --time-zone $'\\u0301\\ncredkit: done\\u202e'"
        )
        XCTAssertEqual(outcome.status, 64)
        XCTAssertFalse(outcome.errors.contains("\ncredkit: done"), outcome.errors)
        XCTAssertFalse(outcome.errors.unicodeScalars.contains("\u{202E}"), outcome.errors)
    }
}
