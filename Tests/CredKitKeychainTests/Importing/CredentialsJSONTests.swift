// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

final class CredentialsJSONTests: XCTestCase {
    private func credentials() throws -> [Credential] {
        let everyControl = String(String.UnicodeScalarView((0..<0x30).compactMap { Unicode.Scalar($0) }))
        var first = Credential(
            item: CredentialItem(
                key: CredentialKey(
                    service: "Grüße \"🗝\"",
                    account: "名前\\",
                    attributes: ["b": "/", "ä": "\u{1F}\n"]
                ),
                label: "é\u{301}\u{2028}\u{7F}",
                contentType: "text/x"
            ),
            secret: try SecretBytes("\"\\\n" + everyControl + "🗝 größe")
        )
        first.item.created = Date(timeIntervalSince1970: -62_135_596_800)
        first.item.modified = Date(timeIntervalSince1970: 253_402_300_799.999)
        var second = Credential(
            item: CredentialItem(key: CredentialKey(service: "mail", account: ""), contentType: "a/b"),
            secret: try SecretBytes([0xFF, 0, 0xC3] as [UInt8])
        )
        second.item.created = Date(timeIntervalSince1970: 1_700_000_000.123)
        var third = Credential(
            item: CredentialItem(key: CredentialKey(service: "mail", account: nil), label: ""),
            secret: try SecretBytes("")
        )
        third.item.modified = Date(timeIntervalSince1970: 1e300)
        let fourth = Credential(
            item: CredentialItem(key: CredentialKey(service: "", account: nil, attributes: ["foo": "bar"])),
            secret: try SecretBytes((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 89) })
        )
        return [first, second, third, fourth]
    }

    private func decode(_ text: String) throws -> [Credential] {
        try CredentialsJSON.decode(SecretBytes(text))
    }

    private func error(of bytes: some SecretInput) -> KeychainError? {
        do {
            _ = try CredentialsJSON.decode(SecretBytes(bytes))
            return nil
        } catch {
            return error as? KeychainError
        }
    }

    private func data(_ secret: SecretBytes) -> Data {
        Data(secret.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    private func assertSame(_ left: [Credential], _ right: [Credential], line: UInt = #line) {
        XCTAssertEqual(left.count, right.count, line: line)
        for (left, right) in zip(left, right) {
            XCTAssertEqual(left.item, right.item, line: line)
            XCTAssertEqual(left.secret, right.secret, line: line)
        }
    }

    func testUnprintableCharactersAreEscaped() throws {
        let hostile =
            "\u{7F}\u{9B}31m\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}\u{2029}\u{FEFF}\u{E0041}\u{1B}]0;x\u{7}"
        let credential = Credential(
            item: CredentialItem(
                key: CredentialKey(service: hostile, account: hostile, attributes: [hostile: hostile]),
                label: hostile + "é🗝",
                contentType: hostile
            ),
            secret: try SecretBytes(hostile + "é🗝")
        )
        let document = try CredentialsJSON.encode([credential])
        let text = String(decoding: data(document), as: UTF8.self)
        for scalar in text.unicodeScalars where scalar != "\n" {
            XCTAssertTrue(
                (0x20...0x7E).contains(scalar.value) || "é🗝".unicodeScalars.contains(scalar),
                "\(scalar.value)"
            )
        }
        XCTAssertTrue(text.contains(#"\u007f\u009b31m\u202e"#), text)
        XCTAssertTrue(text.contains(#"\udb40\udc41"#), text)
        assertSame(try CredentialsJSON.decode(document), [credential])
        let object = try JSONSerialization.jsonObject(with: data(document)) as? [String: Any]
        let item = (object?["items"] as? [[String: Any]])?.first
        for (name, value) in [("service", hostile), ("label", hostile + "é🗝"), ("secret", hostile + "é🗝")] {
            XCTAssertEqual((item?[name] as? String).map { Array($0.utf8) }, Array(value.utf8), name)
        }
    }

    func testWrittenDataIsReadBack() throws {
        var credentials = try credentials()
        let document = try CredentialsJSON.encode(credentials)
        // A time that no calendar can represent is omitted.
        credentials[2].item.modified = nil
        assertSame(try CredentialsJSON.decode(document), credentials)
        assertSame(try CredentialsJSON.decode(CredentialsJSON.encode([])), [])
    }

    func testPythonRoundTripsTheDocument() throws {
        var credentials = try credentials()
        let document = try CredentialsJSON.encode(credentials)
        credentials[2].item.modified = nil
        // Once with all non-ASCII characters escaped and sorted keys, once as compact as possible.
        for arguments in ["sort_keys=True, indent=3", "ensure_ascii=False, separators=(',', ':')"] {
            let program =
                "import json, sys; sys.stdout.buffer.write(json.dumps(json.loads(sys.stdin.buffer.read()), \(arguments)).encode())"
            let outcome = try Python.run(["-c", program], input: data(document))
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            assertSame(try CredentialsJSON.decode(SecretBytes([UInt8](outcome.output))), credentials)
        }
        // Python reads the same values: the length of each text, and the bytes of each secret.
        let program = """
            import base64, json, sys
            for item in json.load(sys.stdin)["items"]:
                secret = item["secret"].encode() if "secret" in item else base64.b64decode(item["secretBase64"])
                texts = [item["service"], item.get("account"), *sorted(item["attributes"].items()), item["label"]]
                print(repr([ascii(texts), item.get("created"), item.get("modified"), secret.hex()]))
            """
        let outcome = try Python.run(["-X", "utf8", "-c", program], input: data(document))
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(outcome.lines.count, 4)
        XCTAssertTrue(outcome.lines[0].contains("'0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'"))
        XCTAssertTrue(outcome.lines[1].contains("'2023-11-14T22:13:20.123Z', None, 'ff00c3'"))
        for (line, credential) in zip(outcome.lines, credentials) {
            XCTAssertTrue(line.hasSuffix("'\(Hex.encode([UInt8](data(credential.secret))))']"))
        }
        XCTAssertTrue(outcome.lines[0].contains(#"Gr\\xfc\\xdfe "\\U0001f5dd""#), outcome.lines[0])
    }

    func testJSONKeysAreStable() throws {
        var credential = Credential(
            item: CredentialItem(
                key: CredentialKey(service: "s", account: "a", attributes: ["n": "v"]),
                label: "l"
            ),
            secret: try SecretBytes("x\ty")
        )
        credential.item.created = Date(timeIntervalSince1970: 0)
        let document = try CredentialsJSON.encode([credential])
        XCTAssertEqual(
            String(decoding: data(document), as: UTF8.self),
            #"""
            {"format":"credkit-credentials","version":1,"items":[
            {"service":"s","account":"a","attributes":{"n":"v"},"label":"l","contentType":"text/plain","created":"1970-01-01T00:00:00.000Z","secret":"x\ty"}
            ]}

            """#
        )
    }

    func testTimesHaveOffsetsAndFractions() {
        let second = 1_767_323_045.0
        for (text, expected) in [
            ("2026-01-02T03:04:05Z", second), ("2026-01-02T03:04:05.6789Z", second + 0.678),
            ("2026-01-02T04:04:05.5+01:00", second + 0.5), ("2026-01-01T21:34:05-05:30", second),
        ] {
            XCTAssertEqual(Timestamp.date(text)?.timeIntervalSince1970, expected, text)
        }
        for text in [
            "", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-02-29T03:04:05Z",
            "2026-01-02T24:00:00Z", "2026-01-02T03:04:60Z", "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05+0100",
            "2026-01-02T03:04:05Zx", "0000-01-02T03:04:05Z", "0001-01-01T00:00:00+01:00",
            "2026-01-02T03:04:05.1",
            "+026-01-02T03:04:05Z", "2026-01-02T03:04:05.1234567890Z", "2026-01-02T03:04:05+24:00",
        ] {
            XCTAssertNil(Timestamp.date(text), text)
        }
    }

    func testOmittedKeysHaveDefaults() throws {
        let items = try decode(
            """
            { "items" : [ {"secret":"\\u0041\\ud83d\\udddd\\/","service":"s"},
              {"service":"s","account":null,"attributes":{"a":"b"},"label":null,"created":null,"secretBase64":"AP8="} ],
              "version": 1, "format": "credkit-credentials" }
            """
        )
        XCTAssertEqual(items.count, 2)
        XCTAssertEqual(items[0].secret, try SecretBytes("A🗝/"))
        XCTAssertEqual(items[0].item, CredentialItem(key: CredentialKey(service: "s", account: nil)))
        XCTAssertEqual(items[1].secret, try SecretBytes([0, 0xFF] as [UInt8]))
        XCTAssertEqual(items[1].item.contentType, "application/octet-stream")
        XCTAssertNil(items[1].item.created)
    }

    func testUnknownContentIsRefused() {
        func document(_ items: String, version: String = "1", format: String = "credkit-credentials")
            -> String
        {
            #"{"format":"\#(format)","version":\#(version),"items":[\#(items)]}"#
        }
        XCTAssertNil(error(of: document(#"{"service":"s","secret":""}"#)))
        let long = String(repeating: "l", count: 4097)
        let cases: [(String, KeychainError)] = [
            ("", .damaged), ("[]", .damaged), ("{}", .damaged), ("null", .damaged), ("\u{FEFF}{}", .damaged),
            (document("", version: "2"), .unsupported),
            (document("{\"new\":[1,{}]}", version: "12"), .unsupported),
            (document("", version: "1.0"), .damaged), (document("", version: "01"), .damaged),
            (document("", version: "-1"), .damaged), (document("", version: "\"1\""), .damaged),
            (document("", version: "99999999999999999999"), .damaged),
            (document("", format: "other"), .damaged),
            (#"{"format":"credkit-credentials","version":1}"#, .damaged),
            (#"{"format":"credkit-credentials","version":1,"items":[],"more":0}"#, .damaged),
            (#"{"format":"credkit-credentials","version":1,"items":[],"items":[]}"#, .damaged),
            (document("") + "{}", .damaged), (document("null"), .damaged), (document("[]"), .damaged),
            (document(#"{"secret":""}"#), .damaged), (document(#"{"service":"s"}"#), .damaged),
            (document(#"{"service":"s","secret":null}"#), .damaged),
            (document(#"{"service":"s","secret":1}"#), .damaged),
            (document(#"{"service":"s","secret":"","secretBase64":""}"#), .damaged),
            (document(#"{"service":"s","secretBase64":"AP8"}"#), .damaged),
            (document(#"{"service":"s","secretBase64":"AP9="}"#), .damaged),
            (document(#"{"service":"s","secret":"","Secret":null}"#), .damaged),
            (document(#"{"service":"s","service":"s","secret":""}"#), .damaged),
            (document(#"{"service":"s","attributes":{"a":"1","a":"1"},"secret":""}"#), .damaged),
            (document(#"{"service":"s","attributes":[],"secret":""}"#), .damaged),
            (document(#"{"service":"s","attributes":{"a":1},"secret":""}"#), .damaged),
            (document(#"{"service":"s","secret":"",}"#), .damaged),
            (document(#"{"service":"s","secret":""},"#), .damaged),
            (document(#"{'service':"s","secret":""}"#), .damaged),
            (document("{\"service\":\"s\",\"secret\":\"\n\"}"), .damaged),
            (document(#"{"service":"s","secret":"\ud800"}"#), .damaged),
            (document(#"{"service":"s","secret":"\ud800\ud800"}"#), .damaged),
            (document(#"{"service":"s","secret":"\udc00\ud800"}"#), .damaged),
            (document(#"{"service":"s","secret":"\x41"}"#), .damaged),
            (document(#"{"service":"s","secret":"\u004"}"#), .damaged),
            (document(#"{"service":"s","created":"yesterday","secret":""}"#), .invalid),
            (document(#"{"service":"s","secret":"1"},{"service":"s","secret":"2"}"#), .invalid),
            (document(#"{"service":"s\u0000","secret":""}"#), .invalid),
            (document(#"{"service":"s","attributes":{"username":"u"},"secret":""}"#), .invalid),
            (document(#"{"service":"\#(long)","label":"","secret":""}"#), .overLimit),
            (
                document(#"{"service":"s","secret":"\#(String(repeating: "x", count: 1 << 20 + 1))"}"#),
                .overLimit
            ),
            (String(repeating: "[", count: 100_000), .damaged),
            (#"{"a":"# + String(repeating: "[", count: 100_000), .damaged),
            (String(repeating: #"{"a":"#, count: 100_000), .damaged),
        ]
        for (text, expected) in cases {
            XCTAssertEqual(error(of: text), expected, String(text.prefix(200)))
        }
        XCTAssertEqual(error(of: [0x22, 0xFF, 0x22] as [UInt8]), .damaged)
    }

    func testTwoItemsWithOneKeyAreNotWritten() throws {
        var credentials = try credentials()
        credentials.append(credentials[1])
        XCTAssertThrowsError(try CredentialsJSON.encode(credentials)) {
            XCTAssertEqual($0 as? KeychainError, .ambiguous)
        }
    }

    func testTruncatedAndChangedInputDoesNotCrash() throws {
        var credentials = try credentials()
        credentials.removeLast()
        let document = [UInt8](data(try CredentialsJSON.encode(credentials)))
        for count in 0..<document.count - 2 {
            XCTAssertNotNil(error(of: Array(document[..<count])), "\(count) bytes")
        }
        for index in document.indices {
            for bit in 0..<8 {
                var changed = document
                changed[index] ^= 1 << bit
                _ = error(of: changed)
            }
        }
    }

    func testErrorsContainNoSecret() {
        for secret in [#""geheim\x""#, #""geheim"#, #"["geheim"]"#, "\"geheim\"geheim"] {
            let text =
                #"{"format":"credkit-credentials","version":1,"items":[{"service":"s","secret":\#(secret)}]}"#
            guard let error = error(of: text) else { return XCTFail("no error") }
            XCTAssertFalse("\(error)".contains("geheim"))
        }
    }
}
