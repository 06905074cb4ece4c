// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

struct OneTimeCodeExportTests {
    private static let start = "otpauth-migration://offline?data="

    private static func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    /// Returns the URI of a message of these bytes.
    private static func uri(_ payload: [UInt8]) -> String {
        start + Base64.standard.encode(payload).replacingOccurrences(of: "=", with: "%3D")
    }

    @Test func readsKeysWithTheirParametersAndCounters() throws {
        let export = try OneTimeCodeExport(
            uri: Self.start
                + "CjUKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZSABKAEwAgohCgpIZWxsbyHerb7v"
                + "EgV0b2tlbhoEQmFuayABKAIwATgpCh8KCkhlbGxvId6tvu8SA29sZBoGTGVnYWN5IAQoATACEAEYASAAKPn%2F%2F%2F%2F"
                + "%2F%2F%2F%2F%2F%2FwE%3D"
        )
        let uris = try export.keys.map { Self.text(try $0.uri()) }
        #expect(
            uris
                == ([
                    "otpauth://totp/Example:alice%40google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example"
                        + "&algorithm=SHA1&digits=6&period=30",
                    "otpauth://hotp/Bank:token?secret=JBSWY3DPEHPK3PXP&issuer=Bank"
                        + "&algorithm=SHA1&digits=8&counter=41",
                ] as [String])
        )
        let refusals = export.refusals.map(\.description)
        #expect(
            refusals == (["Legacy:old: unsupported one-time codes: the hash function is MD5"] as [String])
        )
        #expect(export.refusals[0].error == .unsupported)
        #expect(export.part == 1)
        #expect(export.partCount == 1)
    }

    @Test func readsPartsAndAccountsWithDefaults() throws {
        let export = try OneTimeCodeExport(
            uri: "OTPAUTH-MIGRATION://offline?x=1&data="
                + "ChIKCkhlbGxvId6tvu8SBHNvbG8KDAoKSGVsbG8h3q2%2B7xgCIAE%3D&y"
        )
        #expect(export.part == 2)
        #expect(export.partCount == 2)
        let names = export.keys.map { "\($0.issuer ?? "-") \($0.account) \($0)" }
        let key = "‹key of TOTP every 30 s, SHA-1, 6 digits›"
        #expect(names == (["- solo \(key)", "-  \(key)"] as [String]))
    }

    @Test func recognizesExportsByTheirScheme() {
        #expect(OneTimeCodeExport.isExport("OtpAuth-Migration://offline?data="))
        #expect(!OneTimeCodeExport.isExport("otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"))
        #expect(!OneTimeCodeExport.isExport(""))
    }

    @Test(arguments: [
        ("otpauth://totp/a?secret=JBSWY3DPEHPK3PXP", OneTimeCodeError.wrongScheme),
        ("otpauth-migration://online?data=", OneTimeCodeError.wrongScheme),
        ("otpauth-migration://offline?date=", OneTimeCodeError.missingField),
        ("otpauth-migration://offline?data", OneTimeCodeError.missingField),
        ("otpauth-migration://offline?data=&data=", OneTimeCodeError.malformedURI),
        ("otpauth-migration://offline?data=CgA%3", OneTimeCodeError.malformedURI),
        ("otpauth-migration://offline?data=Cg!A", OneTimeCodeError.malformedURI),
    ])
    func refusesOtherTexts(uri: String, error: OneTimeCodeError) {
        #expect(throws: error) { try OneTimeCodeExport(uri: uri) }
    }

    @Test func namesTheSchemeOfACutURI() throws {
        let error = try #require(throws: OneTimeCodeError.self) {
            try OneTimeCodeExport(uri: "otpauth-migration://offline?data=CgA%3")
        }
        #expect(error.description.hasPrefix("malformed otpauth-migration:// URI: a % "))
    }

    /// Messages that no encoder writes, each with what is wrong.
    @Test(
        arguments: [
            [0x0A, 0x02, 0x0A],  // An account that is longer than the message.
            [0x0A, 0x02, 0x0A, 0x01],  // A seed that is longer than its account.
            [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],  // A length of 64 bits.
            [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],  // A length of 65 bits.
            [0x18, 0x80],  // A number without an end.
            // A number of 11 bytes.
            [0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            [0x00, 0x00],  // The field 0.
            [0x0B], [0x0C], [0x0E], [0x0F],  // Groups, and forms that do not exist.
            [0x41, 0x00], [0x45, 0x00],  // Fixed numbers that are cut off.
            [0x08, 0x01],  // An account that is a number.
            [0x1A, 0x00],  // A number of parts that is a text.
            [0x18, 0x01, 0x18, 0x01],  // A number of parts twice.
            [0x18, 0x02, 0x20, 0x02],  // The third of two parts.
            [0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],  // -1 parts.
            [0x0A, 0x04, 0x0A, 0x00, 0x0A, 0x00],  // Two seeds.
            [0x0A, 0x02, 0x22, 0x00],  // A hash function that is a text.
        ] as [[UInt8]]
    )
    func refusesMalformedMessages(payload: [UInt8]) {
        let uri = Self.uri(payload)
        #expect(throws: OneTimeCodeError.malformedURI) { try OneTimeCodeExport(uri: uri) }
    }

    @Test func refusesSingleAccountsAndReadsTheOthers() throws {
        let good: [UInt8] = [0x0A, 0x03, 0x0A, 0x01, 0x41]
        let accounts: [[UInt8]] = [
            [],  // No seed.
            [0x0A, 0x01, 0x41, 0x20, 0x09],  // An unknown hash function,
            [0x0A, 0x01, 0x41, 0x28, 0x04],  // number of digits,
            [0x0A, 0x01, 0x41, 0x30, 0x03],  // and kind.
            [0x0A, 0x01, 0x41, 0x12, 0x01, 0x0A],  // A name with a line feed,
            [0x0A, 0x01, 0x41, 0x12, 0x01, 0xFF],  // and ones that are not UTF-8.
            [0x0A, 0x01, 0x41, 0x12, 0x01, 0x62, 0x1A, 0x01, 0xFF],
            // The counter -1.
            [0x0A, 0x01, 0x41, 0x30, 0x01, 0x38, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ]
        var payload = good + good
        for account in accounts {
            payload += [0x0A, UInt8(account.count)]
            payload += account
        }
        let export = try OneTimeCodeExport(uri: Self.uri(payload))
        #expect(export.keys.count == 2)
        #expect(export.refusals.count == accounts.count)
    }

    @Test func hasLimits() {
        let long = Self.start + String(repeating: "A", count: OneTimeCodeExport.maximumByteCount)
        #expect(throws: OneTimeCodeError.overLimit) { try OneTimeCodeExport(uri: long) }
        let many = [[UInt8]](repeating: [0x0A, 0x00], count: OneTimeCodeExport.maximumAccountCount + 1)
        #expect(throws: OneTimeCodeError.overLimit) {
            try OneTimeCodeExport(uri: Self.uri(Array(many.joined())))
        }
    }

    private struct Expected: Decodable {
        struct Key: Decodable, Equatable {
            let seed, issuer, account, algorithm: String
            let digits: Int
            let counter: String?
        }

        let uri: String
        let part, parts, refused: Int
        let keys: [Key]
    }

    /// Compares with an encoder in Python.
    @Test func readsWhatAnotherProgramEncodes() throws {
        let count = TestForm.isDeep ? 20_000 : 1000
        let script = TestScripts.path("one_time_code_exports.py")
        let lines = try Program.succeed(["python3", script, "\(count)", "7"]).lines
        #expect(lines.count == count)
        for line in lines {
            let expected = try JSONDecoder().decode(Expected.self, from: Data(line.utf8))
            let export = try OneTimeCodeExport(uri: expected.uri)
            let keys = export.keys.map { key in
                var counter: UInt64?
                if case .counter(let next) = key.kind { counter = next }
                return Expected.Key(
                    seed: key.seed.withSecretBytes { Hex.encode($0) },
                    issuer: key.issuer ?? "",
                    account: key.account,
                    algorithm: key.algorithm.description,
                    digits: key.digitCount,
                    counter: counter.map { "\($0)" }
                )
            }
            #expect(keys == expected.keys, "\(line)")
            #expect(export.refusals.count == expected.refused, "\(line)")
            #expect(export.part == expected.part && export.partCount == expected.parts, "\(line)")
        }
    }
}
