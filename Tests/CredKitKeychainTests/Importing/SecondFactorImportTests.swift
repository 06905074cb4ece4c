// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitKeychain

/// Second factors in the fields of KeePass, its plugins and KeePassXC; see `keepass_codes.py`.
struct SecondFactorImportTests {
    private struct Expected: Decodable {
        let code: String?
        let source: String
    }

    private func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    /// Returns the codes of the 59th second, by the title of their entries.
    private func codes(_ read: PasswordImport) throws -> [String: String] {
        var codes: [String: String] = [:]
        let start = "One-time codes of "
        for credential in read.credentials where credential.item.key.isFor(.oneTimeCode) {
            let key = try OneTimeCodeKey(uri: credential.secret)
            let title = String(credential.item.label.dropFirst(start.count))
            if case .counter(let next) = key.kind {
                codes[title] = key.code(counter: next).text
            } else {
                codes[title] = try key.code(at: UnixTime(59)).text
            }
        }
        return codes
    }

    @Test func fieldsHaveTheCodesOfThePeers() throws {
        let folder = try TemporaryFolder()
        let program = [try TestScripts.installedPython(), TestScripts.path("keepass_codes.py"), folder.path]
        let output = try Program.succeed(program).output
        let expected = try JSONDecoder().decode([String: Expected].self, from: output)
        #expect(expected.count > 30)

        let document = try Data(contentsOf: URL(fileURLWithPath: folder["codes.xml"]))
        let read = try PasswordFile.read(SecretBytes([UInt8](document)))
        let found = try codes(read)
        for (title, peer) in expected { #expect(found[title] == peer.code, "\(title): \(peer.source)") }
        // What no code can be computed of is said, and kept.
        let refused = Set(expected.filter { $0.value.code == nil }.keys)
        #expect(Set(read.losses.filter(\.isFailure).map(\.entry)) == refused)
        #expect(read.failureCount == refused.count)
        for title in refused {
            #expect(read.credentials.contains { $0.item.service == "field:" + title }, "\(title)")
        }
        // No seed is left in a field beside its key.
        let fields = read.credentials.filter { $0.item.service.hasPrefix("field:") }
        #expect(fields.allSatisfy { refused.contains(String($0.item.service.dropFirst("field:".count))) })
        #expect(read.losses.contains { $0.entry == "Router: admin" && $0.kind == "names of one-time codes" })

        // The table has what KeePassXC understands.
        let table = try Data(contentsOf: URL(fileURLWithPath: folder["codes.csv"]))
        let rows = try codes(PasswordFile.read(SecretBytes([UInt8](table))))
        for (title, peer) in expected where peer.source == "KeePassXC" {
            #expect(rows[title] == peer.code, "\(title)")
        }
        withExtendedLifetime(folder) {}
    }

    private func entry(_ fields: [(String, String)]) throws -> PasswordImport {
        let strings = fields.map { "<String><Key>\($0)</Key><Value>\($1)</Value></String>" }.joined()
        return try PasswordFile.read(
            SecretBytes("<KeePassFile><Root><Group><Entry>\(strings)</Entry></Group></Root></KeePassFile>")
        )
    }

    /// An item for codes has one key; the others are fields with their URIs.
    @Test func furtherKeysAreKeptAndSaid() throws {
        let read = try entry([
            ("Title", "t"), ("otp", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"),
            ("TimeOtp-Secret-Base32", "GEZDGNBVGY3TQOJQ"), ("TimeOtp-Period", "60"),
            ("HmacOtp-Secret", "1234567890"), ("HmacOtp-Counter", "9"),
            // The same key as the first one.
            ("TOTP Seed", "jbsw y3dp ehpk 3pxp"), ("TOTP Settings", "30;6"),
        ])
        let items = read.credentials.map {
            [$0.item.service, $0.item.key.attributes["field"] ?? "", text($0.secret)]
        }
        #expect(
            items
                == ([
                    ["otp:t", "", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"],
                    [
                        "field:t", "TimeOtp",
                        "otpauth://totp/?secret=GEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=60",
                    ],
                    [
                        "field:t", "HmacOtp",
                        "otpauth://hotp/?secret=GEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&counter=9",
                    ],
                ] as [[String]])
        )
        #expect(read.losses.map { $0.field } == (["further one-time code"] as [String]))
        #expect(read.losses.allSatisfy { $0.isKept && !$0.isFailure })
        #expect(read.failureCount == 0)
    }

    @Test(arguments: [
        ("otp", "steam://JBSWY3DPEHPK3PXP", "Steam's codes have letters"),
        ("otp", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&amp;encoder=steam", "Steam's codes have letters"),
        ("otp", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&amp;algorithm=MD5", "the algorithm is none of"),
        ("otp", "otpauth-migration://offline?data=CgA", "an export of several accounts"),
        ("otp", "not Base32", "the seed is not Base32"),
        ("otp", "key=JBSWY3DPEHPK3PXP&amp;step=x", "the period is malformed"),
        ("otp", "key=JBSWY3DPEHPK3PXP&amp;type=Yubico", "the type is none of"),
        ("otp", "key=JBSWY3DPEHPK3PXP&amp;encoding=Base58", "the seed is none of"),
        ("TimeOtp-Secret-Base64", "!", "the seed is not Base64"),
        ("TimeOtp-Secret-Hex", "0g", "the seed is not hexadecimal"),
    ])
    func unreadableKeysAreFailuresWithAReason(key: (String, String, String)) throws {
        let (name, value, reason) = key
        let read = try entry([("Title", "t"), ("Password", "pw"), (name, value)])
        #expect(read.credentials.count == 2)
        #expect(read.failureCount == 1)
        let loss = try #require(read.losses.first)
        #expect(loss.isFailure && loss.isKept)
        #expect(loss.detail.contains(reason), "\(loss.detail)")
        #expect(!loss.detail.contains("JBSW"))
    }

    /// KeeTrayTOTP's settings may have the address of a clock. Without them, the codes would be others.
    @Test func longSettingsAreReadOrRefused() throws {
        let clock = "https://clock.example/" + String(repeating: "x", count: 100)
        let seed = ("TOTP Seed", "JBSWY3DPEHPK3PXP")
        let read = try entry([("Title", "t"), seed, ("TOTP Settings", "60;8;\(clock)")])
        let uri = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=8&period=60"
        #expect(read.credentials.map { text($0.secret) } == ([uri] as [String]))
        #expect(read.losses.isEmpty)
        let long = String(repeating: "6", count: 2000)
        for fields in [
            [seed, ("TOTP Settings", "60;8;\(long)")], [("otp", "key=JBSWY3DPEHPK3PXP&amp;size=\(long)")],
        ] {
            let read = try entry([("Title", "t")] + fields)
            #expect(read.failureCount == 1)
            #expect(read.losses.first?.detail.contains("a parameter is longer than") == true)
            #expect(!read.credentials.contains { $0.item.key.isFor(.oneTimeCode) })
        }
    }

    /// A second factor is not lost because an entry has too many other fields before it.
    @Test func codesStandBehindAnyNumberOfFields() throws {
        let others = (0...TransferLimits.fieldCount).map { ("field \($0)", "x") }
        let read = try entry(
            [("Title", "t")] + others + [
                ("TimeOtp-Secret-Base32", "JBSWY3DPEHPK3PXP"), ("TimeOtp-Period", "60"),
                ("TimeOtp-Length", "8"), ("TimeOtp-Length", "7"),
            ]
        )
        let code = read.credentials.first { $0.item.key.isFor(.oneTimeCode) }
        let uri = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=8&period=60"
        #expect(code.map { text($0.secret) } == uri)
        #expect(read.credentials.count == TransferLimits.fieldCount + 1)
        #expect(read.losses.map(\.field) == (["further fields"] as [String]))
    }

    /// No program writes a property twice; if a file has it, neither replaces the other.
    @Test func repeatedPropertiesAreFields() throws {
        let read = try entry([
            ("Title", "t"), ("Password", "first"), ("Password", "second"), ("Notes", "a"), ("Notes", "b"),
        ])
        let items = read.credentials.map { [$0.item.service, text($0.secret)] }
        #expect(
            items
                == ([["t", "first"], ["note:t", "a"], ["field:t", "second"], ["field:t", "b"]] as [[String]])
        )
    }

    /// An empty field is none.
    @Test func emptyFieldsAreNoKeys() throws {
        let read = try entry([("Title", "t"), ("Password", "pw"), ("otp", ""), ("TimeOtp-Secret", "")])
        #expect(read.losses.isEmpty)
        #expect(!read.credentials.contains { $0.item.key.isFor(.oneTimeCode) })
    }
}
