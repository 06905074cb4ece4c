// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

final class GenerateCommandTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell.remove() }

    func testPasswordsHaveTheRequestedForm() throws {
        for (options, pattern) in [
            ("", "[0-9A-Za-z]{22}"), ("--length 8", "[0-9A-Za-z]{8}"),
            ("--bits 64 --alphabet hexadecimal", "[0-9a-f]{16}"),
            ("--length 5000", ""), ("--alphabet printable --length 30", "[!-~]{30}"),
            ("--characters 'xäy' --length 9", "[xäy]{9}"),
            ("--readable --length 12", "[2-9a-hjkmnp-z]{5}-[2-9a-hjkmnp-z]{5}-[2-9a-hjkmnp-z]{2}"),
            ("--words 6", "[a-z]+(-[a-z]+){5,9}"), ("--words 3 --separator ' '", "[a-z-]+( [a-z-]+){2}"),
            ("--words 1", "[a-z-]+"), ("--words 2 --separator ''", "[a-z-]+"),
            ("--words 0", ""), ("--words 257", ""), ("--words six", ""), ("--separator .", ""),
            ("--words 6 --length 8", ""), ("--words 6 --bits 80", ""), ("--words 6 --readable", ""),
            ("--words 6 --separator $'\\n'", ""),
            ("--length 0", ""),
            ("--length 5 --bits 5", ""), ("--alphabet klingon", ""), ("--characters aa", ""),
            ("--readable --alphabet digits", ""),
            ("12", ""),
        ] {
            let outcome = try shell.run("credkit generate \(options)")
            XCTAssertEqual(outcome.status, pattern.isEmpty ? 64 : 0, "\(options): \(outcome.errors)")
            XCTAssertNotNil(
                outcome.text.range(
                    of: pattern.isEmpty ? "^$" : "^\(pattern)\\n$",
                    options: .regularExpression
                ),
                "\(options): \(outcome.text)"
            )
            XCTAssertEqual(outcome.errors.isEmpty, !pattern.isEmpty)
        }
        let two = try shell.run("credkit generate; credkit generate").text.split(separator: "\n")
        XCTAssertNotEqual(two.first, two.last)
        let json = try shell.run("credkit generate --json --alphabet digits --length 1000").text
        XCTAssertTrue(json.hasPrefix(#"{"bits":3321.9,"password":""#), json)
        let words = try shell.run("credkit generate --json --words 6").text
        XCTAssertTrue(words.hasPrefix(#"{"bits":77.5,"password":""#), words)
    }

    func testUnknownAlphabetsAndFunctionsAreCorrected() throws {
        for (arguments, message) in [
            ("generate --alphabet digit", "readable; did you mean 'digits'?"),
            ("generate --alphabet 'klingon'", "printable or readable."),
            ("blocklist check --words x --hash sha-1", "; did you mean 'sha1'?"),
            ("blocklist build --output x --hash sha256 x", "--hash takes md4, "),
        ] {
            let outcome = try shell.run("credkit \(arguments)")
            XCTAssertEqual(outcome.status, 64, arguments)
            XCTAssertTrue(outcome.errors.contains(message), "\(arguments): \(outcome.errors)")
        }
    }

    func testTheStrengthGoesToATerminal() throws {
        let session = try TerminalSession(
            shell,
            ["sh", "-c", "credkit generate --alphabet hexadecimal > password"],
            []
        )
        XCTAssertEqual(session.screen, "128.0 bits\r\n")
        XCTAssertEqual(session.status, 0)
        XCTAssertEqual(try shell.run("tr -d '0-9a-f' < password").text, "\n")
    }
}
