// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// Second factors in the files of `pass`, beside pass-otp, and a round through other programs.
final class PassCodeTests: PassTestCase {
    /// The entries that `pass otp` writes and reads; it takes the first line that is a URI.
    func testKeysOfPassOtpAreRead() throws {
        let seed = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
        let totp = "otpauth://totp/Example:alice?secret=\(seed)&issuer=Example"
        let long = "otpauth://totp/a%20b?secret=\(seed.lowercased())&algorithm=SHA256&digits=8&period=60"
        let counted = "otpauth://hotp/Bank:token?secret=\(seed)&counter=41&issuer=Bank&digits=8"
        let letters = "otpauth://totp/x?secret=S46SQCPPTCNPROMHWYBDCTBZXV"
        _ = try succeed(
            """
            pass init first@example
            printf '%s\\n' '\(totp)' | pass otp insert first/line
            printf '%s\\n' '\(long)' | pass otp insert parameters
            printf '%s\\n' '\(counted)' | pass otp insert counted
            printf '%s\\n' '\(letters)' | pass otp insert letters
            printf '%s\\n' '\(seed)' | pass otp insert -s -i Example -a alice typed
            printf '%s\\n' '\(seed)' | pass otp insert -s -a alice account
            echo pw | pass insert -e appended; printf '%s\\n' '\(totp)' | pass otp append -e appended
            printf 'pw\\nlogin: alice\\nPIN: 1\\n' | pass insert -m lines
            printf '%s\\n' '\(long)' | pass otp append -e lines
            printf 'pw\\nnote\\n%s\\nmore\\n%s\\n' '\(long)' '\(totp)' | pass insert -m two
            printf '%s\\npw\\n%s\\n' '\(totp)' '\(long)' | pass insert -m before
            """
        )
        let read = try PassFolder(path: folder).read()
        let names = [
            "first/line", "parameters", "counted", "letters", "typed", "account", "appended", "lines", "two",
            "before",
        ]
        var keys: [String: OneTimeCodeKey] = [:]
        for credential in read.credentials where credential.item.key.isFor(.oneTimeCode) {
            let path = try XCTUnwrap(credential.item.key.attributes["path"])
            keys[path] = try OneTimeCodeKey(uri: credential.secret)
        }
        XCTAssertEqual(Set(keys.keys), Set(names))
        for name in names {
            let uri = String(decoding: try succeed("pass otp uri \(name)"), as: UTF8.self)
            let key = try XCTUnwrap(keys[name], name)
            XCTAssertEqual(key, try OneTimeCodeKey(uri: uri), name)
            guard case .time = key.kind else { continue }
            // The period may end between both codes.
            let before = try key.code().text
            let code = String(
                decoding: try succeed("pass otp code \(name)").filter { $0 != 10 },
                as: UTF8.self
            )
            let after = try key.code().text
            XCTAssertTrue([before, after].contains(code), name)
        }
        // Neither a password nor a note is a URI, but for a second key, which is said.
        XCTAssertEqual(Set(read.losses.map(\.entry)), ["two", "before"])
        XCTAssertTrue(read.losses.allSatisfy { $0.isKept && $0.field == "further one-time code" })
        let others = read.credentials.filter { !$0.item.key.isFor(.oneTimeCode) }
        let passwords = others.filter { !$0.item.service.hasPrefix("note:") }
        XCTAssertEqual(
            Set(passwords.compactMap { $0.item.key.attributes["path"] }),
            ["appended", "lines", "two"]
        )
        XCTAssertTrue(passwords.allSatisfy { bytes($0.secret) == Array("pw".utf8) })
    }

    /// Line ends of Windows, and the `totp:` of gopass and of apps for Android.
    func testLineEndsAndNamedSeedsAreRead() throws {
        let uri = "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"
        let typed = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30"
        let cases: [(text: String, items: [[String]], losses: [String])] = [
            ("pw1\r\n", [["h.example", "pw1"]], ["line ends"]),
            ("pw1\r", [["h.example", "pw1"]], ["line ends"]),
            (
                "pw1\r\nlogin: bob\r\n\(uri)\r\nfree\r\ntext\r\n",
                [["h.example", "pw1"], ["otp:h.example", uri], ["note:h.example", "free\ntext"]],
                ["line ends"]
            ),
            ("\(uri)\r\n", [["otp:h.example", uri]], ["line ends"]),
            ("pw\r1\n", [["h.example", "pw\r1"]], []),
            ("pw\ntotp: jbsw y3dp ehpk 3pxp\n", [["h.example", "pw"], ["otp:h.example", typed]], []),
            ("pw\nTOTP: \(uri)\n", [["h.example", "pw"], ["otp:h.example", uri]], []),
            ("pw\ntotp: no seed!\n", [["h.example", "pw"], ["note:h.example", "totp: no seed!"]], []),
            ("steam://JBSWY3DP\n", [["h.example", "steam://JBSWY3DP"]], []),
            (
                "\(uri)&encoder=steam\n", [["field:h.example", "\(uri)&encoder=steam"]], ["one-time code"]
            ),
        ]
        for (text, items, losses) in cases {
            let entry = try PassText.entry(SecretBytes(text), path: "h.example/bob")
            let found = try entry.items().map { item in
                [
                    item.credential.item.service,
                    String(decoding: bytes(item.credential.secret), as: UTF8.self),
                ]
            }
            XCTAssertEqual(found, items, text.debugDescription)
            XCTAssertEqual(entry.leftOut.map(\.field), losses, text.debugDescription)
        }
        // A file that CredKit wrote, and another program changed, can have a second key in the place of the password.
        let marker = String(decoding: EntryMarker.text(try item("s", "alice", "").item), as: UTF8.self)
        let two = "\(uri)\n\(uri)&digits=8\nlogin: bob\ncredkit: \(marker)\n"
        let both = try PassText.entry(SecretBytes(two), path: "h.example/bob").items()
        XCTAssertEqual(
            both.map { String(decoding: bytes($0.credential.secret), as: UTF8.self) },
            [uri, uri + "&digits=8"]
        )
        // What CredKit has written keeps its carriage returns, unless all line ends were changed.
        let written = try PassText.text(item("s", "a", "pw\r"))
        XCTAssertEqual(
            bytes(try PassText.entry(written, path: "s/a").items()[0].credential.secret),
            Array("pw\r".utf8)
        )
        let changed = String(decoding: bytes(try PassText.text(item("s", "a", "pw"))), as: UTF8.self)
            .replacingOccurrences(of: "\n", with: "\r\n")
        let read = try PassText.entry(SecretBytes(changed), path: "s/a").items()
        XCTAssertEqual(read.map { [$0.credential.item.service] }, [["s"]])
        XCTAssertEqual(bytes(read[0].credential.secret), Array("pw".utf8))
    }

    /// Items go through five programs: what is missing then was said, and no key of one-time codes is missing before the
    /// browsers, which have no place for it.
    func testARoundThroughFiveProgramsLosesNothingInSilence() throws {
        _ = try succeed("pass init first@example")
        let uri = "otpauth://totp/Example:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example"
        let counted = "otpauth://hotp/Bank:token?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&counter=4"
        var items: [Credential] = []
        for (number, code) in [uri, counted, uri + "&digits=8"].enumerated() {
            let service = "h\(number).example"
            items.append(try item(service, "alice", "pass, \"word\" \(number)"))
            items.append(try item("note:" + service, "alice", "two\nlines \(number)"))
            let key = CredentialKey(
                .oneTimeCode,
                service: "otp:" + service,
                account: "alice",
                attributes: [:]
            )
            items.append(Credential(item: CredentialItem(key: key), secret: try SecretBytes(code)))
            var field = CredentialKey(service: "field:" + service, account: "alice")
            field.attributes["field"] = "PIN"
            items.append(Credential(item: CredentialItem(key: field), secret: try SecretBytes("\(number)")))
        }

        func check(_ after: [Credential], _ losses: [TransferLoss], _ step: String) {
            let copies = Set(after.map { bytes($0.secret) })
            let missing = items.filter { !copies.contains(bytes($0.secret)) }
            XCTAssertLessThanOrEqual(missing.count, losses.count { !$0.isKept }, step)
            let codes = after.count { $0.item.key.isFor(.oneTimeCode) }
            XCTAssertEqual(codes, step.hasSuffix("csv") && step != "keepassxc-csv" ? 0 : 3, step)
        }

        // KeePassXC itself imports and exports.
        let (xml, losses, _) = try PasswordFile.write(items, as: .keePassXML)
        let place = try TemporaryFolder()
        let environment = ProcessInfo.processInfo.environment.merging(["QT_QPA_PLATFORM": "offscreen"]) { $1 }
        func keepassxc(_ arguments: [String]) throws -> SecretBytes {
            let command = ["keepassxc-cli", arguments[0], "-q"] + arguments.dropFirst()
            let input = Data("x\nx\n".utf8)
            let outcome = try Program.succeed(command, input: input, environment: environment, errors: .kept)
            return try SecretBytes([UInt8](outcome.output))
        }
        let written = try place.write(bytes(xml), "items.xml")
        _ = try keepassxc(["import", "-t", "100", "-p", written, place["items.kdbx"]])
        let read = try PasswordFile.read(keepassxc(["export", "-f", "xml", place["items.kdbx"]]))
        check(read.credentials, losses + read.losses, "keepass-xml")
        let table = try PasswordFile.read(keepassxc(["export", "-f", "csv", place["items.kdbx"]]))
        // Fields are left out by KeePassXC, not by CredKit, and it knows no counters.
        XCTAssertEqual(table.credentials.count { $0.item.key.isFor(.oneTimeCode) }, 3)
        withExtendedLifetime(place) {}

        let root = try PassFolder(path: folder)
        let leftOut = try root.write(read.credentials)
        let shown = try succeed("for i in 0 2; do pass otp uri otp:h$i.example/alice; done")
        XCTAssertEqual(String(decoding: shown, as: UTF8.self), "\(uri)\n\(uri)&digits=8\n")
        let entries = try root.read()
        check(entries.credentials, leftOut + entries.losses, "pass")

        for format in [PasswordFile.Format.bitwardenJSON, .keePassXCCSV, .chromiumCSV, .firefoxCSV] {
            let (document, losses, _) = try PasswordFile.write(entries.credentials, as: format)
            let read = try PasswordFile.read(document)
            check(read.credentials, losses + read.losses, format.rawValue)
        }
    }
}
