// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import Foundation
import XCTest

@testable import CredKitKeychain

/// Files that other password managers wrote, and what becomes of them; see `Vectors/Data/password-managers.json`.
final class PasswordFileTests: XCTestCase {
    struct Case: Decodable {
        struct Item: Decodable {
            var service: String
            var account: String?
            var attributes: [String: String]?
            var label: String?
            var secret: String
            var created: String?
            var modified: String?
        }

        var name: String
        var format: String
        var document: String
        var items: [Item]
        var losses: [String]
    }

    private var cases: [Case] = []

    override func setUpWithError() throws { cases = try VectorFile.load("password-managers").cases }

    private func read(_ document: String) throws -> PasswordImport {
        try PasswordFile.read(SecretBytes(document))
    }

    private func error(_ document: String) -> KeychainError? {
        do {
            _ = try read(document)
            return nil
        } catch {
            return error as? KeychainError
        }
    }

    private func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    func testFilesOfOtherProgramsAreRead() throws {
        XCTAssertEqual(Set(cases.map(\.format)), Set(PasswordFile.Format.allCases.map(\.rawValue)))
        for vector in cases {
            XCTAssertEqual(
                PasswordFile.format(of: try SecretBytes(vector.document))?.rawValue,
                vector.format,
                vector.name
            )
            let read = try read(vector.document)
            XCTAssertEqual(read.credentials.count, vector.items.count, vector.name)
            for (credential, expected) in zip(read.credentials, vector.items) {
                let place = "\(vector.name): \(credential.item.key)"
                XCTAssertEqual(credential.item.service, expected.service, place)
                XCTAssertEqual(credential.item.account, expected.account, place)
                var attributes = credential.item.key.attributes
                let purpose = attributes.removeValue(forKey: CredentialKey.purposeName)
                XCTAssertEqual(purpose, expected.service.hasPrefix("otp:") ? "one-time-code" : nil, place)
                XCTAssertEqual(attributes, expected.attributes ?? [:], place)
                if let label = expected.label { XCTAssertEqual(credential.item.label, label, place) }
                XCTAssertEqual(text(credential.secret), expected.secret, place)
                XCTAssertEqual(
                    credential.item.created.flatMap { Timestamp.text($0) },
                    expected.created,
                    place
                )
                XCTAssertEqual(
                    credential.item.modified.flatMap { Timestamp.text($0) },
                    expected.modified,
                    place
                )
            }
            let losses = read.losses.map { "\($0.entry): \($0.field): \($0.detail)" }
            XCTAssertEqual(losses, vector.losses, vector.name)
        }
    }

    func testTablesOfOtherProductsAreRefused() throws {
        // NordPass, Proton Pass, RoboForm, KeePass 1, other cases, and names that stand twice.
        for header in [
            "name,additional_urls,username,password,note,cardholdername",
            "type,name,email,username,password,note,totp",
            "Name,Url,MatchUrl,Login,Pwd,Note,Folder", "Account,Login Name,Password,Web Site,Comments",
            "Name,Url,Username,Password", "NAME,URL,USERNAME,PASSWORD", "name,url,username,password,password",
            "Title,URL,Url,Username,Password,URL", "name,url,username", "", "\"", ",,,,", "password",
        ] {
            XCTAssertEqual(error(header + "\nhttps://a.example,u,p,,,,,\n"), .unsupported, header)
        }
    }

    func testDocumentTypesEntitiesAndMalformedValuesAreRefused() throws {
        let body = "<KeePassFile><Root><Group><Name>x</Name></Group></Root></KeePassFile>"
        XCTAssertNil(error(body))
        XCTAssertEqual(error("<!DOCTYPE KeePassFile [<!ENTITY a \"aaaa\">]>" + body), .unsupported)
        XCTAssertEqual(error(body.replacingOccurrences(of: "x<", with: "&a;<")), .damaged)
        XCTAssertEqual(error(body.replacingOccurrences(of: "x<", with: "&#0;<")), .damaged)
        XCTAssertEqual(error(body.replacingOccurrences(of: "x<", with: "&#1;<")), .damaged)
        XCTAssertEqual(error(body.replacingOccurrences(of: "</Root>", with: "</root>")), .damaged)
        let entry =
            "<Entry><String><Key>Password</Key><Value Protected=\"True\">eA==</Value></String></Entry></Group>"
        XCTAssertEqual(error(body.replacingOccurrences(of: "</Group>", with: entry)), .unsupported)
        XCTAssertEqual(error(#"{"encrypted":true,"items":[]}"#), .unsupported)
        for (number, isValid) in [
            ("0", true), ("-0.5e+10", true), ("1E9", true), ("01", false), ("3+", false), ("1.", false),
            (".5", false), ("1e", false), ("-", false), ("+1", false),
        ] {
            let text = #"{"encrypted":false,"items":[{"name":"n","more":\#(number)}]}"#
            XCTAssertEqual(error(text), isValid ? nil : .damaged, number)
        }
        XCTAssertEqual(
            error("{\"encrypted\":false,\"items\":[\(String(repeating: "[", count: 100))"),
            .damaged
        )
    }

    func testNoPasswordOfAnAddressBecomesPublic() throws {
        let addresses = [
            "https://user:hunter2@host.example/a", "https://hunter2@host.example",
            "user:hunter2@host.example/path",
            "https:user:hunter2@host.example", "https:/user:hunter2@host.example/",
            "https:///u:hunter2@host.example",
            "https://user:hunter2\\@host.example/", "https://host.example\\@hunter2",
            "https://host.example/?k=hunter2",
            "https://a@b:hunter2@host.example/", "https://host.example/#hunter2",
            "cmd://run --password hunter2", "CMD://run --password hunter2",
            "https://alice:hunter2#3@host.example/", "https://alice:hunter2?3@host.example/",
            "https://alice:hunter2/cd@host.example/", "https://hunter2#3@host.example/",
            "https://alice:12/hunter2@host.example/",
            "\\\\u:hunter2@host", "//user:hunter2@host.example/",
        ]
        for address in addresses {
            let read = try read("name,url,username,password\nn,\(address),alice,s3cret\n")
            for item in read.credentials.map(\.item) {
                XCTAssertFalse("\(item.key) \(item.label)".contains("hunter2"), "\(address): \(item.key)")
            }
            // The whole address is kept as a secret.
            let whole = read.credentials.filter { $0.item.service.hasPrefix("field:") }
            XCTAssertEqual(whole.map { text($0.secret) }, [address])
        }
    }

    func testAddressesWithPortsAndSignsArePublic() throws {
        for (address, service) in [
            ("https://h.example:8443/a", "h.example:8443"),
            ("https://[2001:db8::1]:443/", "[2001:db8::1]:443"),
            ("https://h.example/@alice", "h.example"), ("H.example", "h.example"),
        ] {
            let items = try read("name,url,username,password\nn,\(address),alice,s3cret\n").credentials.map(
                \.item
            )
            XCTAssertEqual(items.map(\.service), [service])
            XCTAssertEqual(items.map { $0.key.attributes["url"] }, [address])
        }
    }

    /// An export of a keychain may have the word in any place.
    func testExportsOfAKeychainAreNotTakenForBitwarden() throws {
        let items = try ["encrypted", "other"].map { name in
            let key = CredentialKey(service: name, account: nil, attributes: ["encrypted": "encrypted"])
            return Credential(item: CredentialItem(key: key), secret: try SecretBytes("encrypted"))
        }
        XCTAssertNil(PasswordFile.format(of: try CredentialsJSON.encode(items)))
        XCTAssertEqual(PasswordFile.format(of: try SecretBytes(#"{"encrypted":false}"#)), .bitwardenJSON)
        XCTAssertEqual(error(#"{"encrypted":false}"#), .damaged)
    }

    func testEntriesWithOtherPartsAreNotMerged() throws {
        let read = try read(
            #"""
            {"encrypted":false,"items":[
            {"name":"Wifi","login":{"password":"p"}}, {"name":"Wifi","notes":"n"}, {"name":"note:Wifi","login":{"password":"q"}}
            ]}
            """#
        )
        XCTAssertEqual(
            read.credentials.map {
                [$0.item.service, $0.item.key.attributes["entry"] ?? "1", text($0.secret)]
            },
            [["Wifi", "1", "p"], ["note:Wifi", "2", "n"], ["entry:note:Wifi", "1", "q"]]
        )
        let (document, losses, itemCount) = try PasswordFile.write(read.credentials, as: .bitwardenJSON)
        XCTAssertEqual([losses.count, itemCount], [0, 3], "\(losses)")
        XCTAssertEqual(
            Set(try PasswordFile.read(document).credentials.map { ItemImage($0) }),
            Set(read.credentials.map { ItemImage($0) })
        )
    }

    /// Times as KeePassXC writes them since KDBX 4, deleted entries, and references.
    func testWhatKeePassLeavesInItsFilesIsToldApart() throws {
        let read = try read(
            """
            <KeePassFile><Meta><RecycleBinUUID>Qg==</RecycleBinUUID></Meta><Root><Group><Name>Root</Name>
            <Notes>PUK 1234</Notes>
            <Entry><Times><CreationTime>0pGA2A4AAAA=</CreationTime><LastModificationTime>nonsense</LastModificationTime></Times>
            <String><Key>Title</Key><Value>a</Value></String>
            <String><Key>Password</Key><Value>x{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}</Value></String></Entry>
            <Group><UUID>Qg==</UUID><Name>Bin</Name><Entry></Entry></Group>
            </Group></Root></KeePassFile>
            """
        )
        // As python computes it: 0001-01-01 and the seconds that the eight bytes are.
        XCTAssertEqual(
            read.credentials.map { $0.item.created.flatMap { Timestamp.text($0) } },
            ["2021-07-14T08:05:38.000Z"]
        )
        XCTAssertEqual(read.credentials.map(\.item.modified), [nil])
        XCTAssertEqual(
            Set(read.losses.map { "\($0.entry): \($0.field)" }),
            [": Notes", "Bin: ", "a: modified", "a: Password"]
        )
        XCTAssertEqual(read.losses.filter(\.isKept).map(\.field), ["Password"])
    }

    /// Text beside a secret of other bytes is kept.
    func testTextBesideBinarySecretsIsExported() throws {
        let items = [
            Credential(
                item: CredentialItem(key: CredentialKey(service: "db", account: nil)),
                secret: try SecretBytes([0xFF])
            ),
            Credential(
                item: CredentialItem(key: CredentialKey(service: "note:db", account: nil)),
                secret: try SecretBytes("n")
            ),
        ]
        let (document, losses, itemCount) = try PasswordFile.write(items, as: .keePassXML)
        XCTAssertEqual(try PasswordFile.read(document).credentials.map { text($0.secret) }, ["n"])
        XCTAssertEqual(itemCount, 1)
        XCTAssertTrue(losses.contains { $0.field == "password" && $0.detail == "left out" }, "\(losses)")
    }

    func testEntriesWithEqualNamesAreKeptApart() throws {
        let read = try read(
            """
            name,url,username,password,note
            n,https://h.example/,a,same,
            n,https://h.example/,a,other,
            m,https://h.example/,a,same,
            n,https://h.example/,a,same,with a note
            n,https://h.example/,a,same,

            """
        )
        XCTAssertEqual(read.credentials.count, 5)
        XCTAssertEqual(Set(read.credentials.map(\.item.key)).count, 5)
        XCTAssertEqual(
            read.credentials.map { $0.item.key.attributes["entry"] ?? "1" },
            ["1", "2", "3", "4", "4"]
        )
        XCTAssertEqual(read.losses.map(\.detail), ["left out: an equal entry is in the file already"])
    }

    /// What a format does not keep is announced, and nothing else.
    func testRandomItemsComeBackOrAreAnnounced() throws {
        let seed = RandomItems.seed()
        var random = RandomItems(seed: seed)
        for format in PasswordFile.Format.allCases {
            for _ in 0..<60 {
                let items = try random.credentials(8)
                let (document, losses, _) = try PasswordFile.write(items, as: format)
                let copies = Set(try PasswordFile.read(document).credentials.map { ItemImage($0) })
                let missing = items.map { ItemImage($0) }.filter { !copies.contains($0) }
                if losses.isEmpty {
                    XCTAssertEqual(missing, [], "\(format), CREDKIT_TEST_SEED=\(seed)")
                } else {
                    XCTAssertFalse(losses.contains { $0.detail.isEmpty || $0.isFailure })
                }
            }
        }
    }

    /// The formats with fields keep keys, labels and secrets of text exactly.
    func testFormatsWithFieldsKeepAllButTimes() throws {
        let seed = RandomItems.seed()
        var random = RandomItems(seed: seed)
        for format in [PasswordFile.Format.keePassXML, .bitwardenJSON] {
            let items = try random.credentials(300).filter {
                EntryText.isXML($0.secret) && EntryPart.of($0).0 == .password
            }
            XCTAssertGreaterThan(items.count, 50)
            let document = try PasswordFile.write(items, as: format).document
            let copies = Set(
                try PasswordFile.read(document).credentials.map { ItemImage($0, hasTimes: false) }
            )
            for item in items where !item.secret.isEmpty {
                XCTAssertTrue(
                    copies.contains(ItemImage(item, hasTimes: false)),
                    "\(format), CREDKIT_TEST_SEED=\(seed): \(ItemImage(item))"
                )
            }
        }
    }
}
