// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// Files at the ceilings, and the times that imported items keep.
final class ImportCeilingTests: XCTestCase {
    private func read(_ document: String) throws -> PasswordImport {
        try PasswordFile.read(SecretBytes(document))
    }

    private func assertOverLimit(_ document: String, line: UInt = #line) {
        XCTAssertThrowsError(try read(document), line: line) {
            XCTAssertEqual($0 as? KeychainError, .overLimit, "\($0)", line: line)
        }
    }

    private func table(_ count: Int, _ row: (Int) -> String) -> String {
        "name,url,username,password\n" + (0..<count).map { row($0) + "\n" }.joined()
    }

    func testEqualNamesAreLimited() throws {
        let limit = TransferLimits.equalCount
        let row = { (number: Int) in "n,https://h.example/,a,\(number)" }
        let read = try read(table(limit, row))
        XCTAssertEqual(Set(read.credentials.map(\.item.key)).count, limit)
        assertOverLimit(table(limit + 1, row))
        // The file ends at the ceiling, however many rows follow.
        assertOverLimit(table(TransferLimits.entryCount, row))
        // Equal rows are one entry.
        let equal = try self.read(table(20_000) { _ in "n,https://h.example/,a,x" })
        XCTAssertEqual(equal.credentials.count, 1)
        XCTAssertEqual(equal.losses.count + equal.unlistedLossCount, 19_999)
    }

    func testCountsAndDepthsAreLimited() throws {
        assertOverLimit(table(TransferLimits.entryCount + 1) { "n,https://h\($0).example/,a,x" })
        func document(_ body: String) -> String { "<KeePassFile><Root>\(body)</Root></KeePassFile>" }
        func groups(_ count: Int) -> String {
            String(repeating: "<Group><Name>g</Name>", count: count) + "<Entry></Entry>"
                + String(repeating: "</Group>", count: count)
        }
        XCTAssertEqual(try read(document(groups(60))).credentials.count, 1)
        assertOverLimit(document(groups(70)))
        func entry(_ count: Int) -> String {
            let fields = (0..<count).map { "<String><Key>f\($0 % 2)</Key><Value>\($0)</Value></String>" }
                .joined()
            return document("<Group><Entry>\(fields)</Entry></Group>")
        }
        for count in [TransferLimits.fieldCount, TransferLimits.fieldCount + 2] {
            let read = try read(entry(count))
            XCTAssertEqual(read.credentials.count, TransferLimits.fieldCount)
            let isOver = count > TransferLimits.fieldCount
            XCTAssertEqual(read.losses.map(\.field), isOver ? ["further fields"] : [])
        }
        let folder = String(repeating: "f", count: StoreLimits.nameByteCount + 1)
        assertOverLimit(#"{"encrypted":false,"folders":[{"id":"1","name":"\#(folder)"}],"items":[]}"#)
        XCTAssertThrowsError(try read(document("<Group><Name>&#x110000;</Name></Group>")))
    }

    /// Folders are opened once each, and a vault takes all items at once.
    func testManyFoldersAreWrittenAndStored() async throws {
        let items = try (0..<5000).map { number in
            let key = CredentialKey(
                service: "s\(number)",
                account: nil,
                attributes: ["folder": "a/b\(number % 2500)/c"]
            )
            return Credential(item: CredentialItem(key: key), secret: try SecretBytes("x"))
        }
        let (document, losses, itemCount) = try PasswordFile.write(items, as: .keePassXML)
        XCTAssertEqual(losses, [])
        XCTAssertEqual(itemCount, items.count)
        XCTAssertEqual(try PasswordFile.read(document).credentials.count, items.count)
    }

    func testAVaultKeepsTheTimesOfImportedItems() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        var configuration = VaultConfiguration()
        configuration.path = folder + "/vault"
        configuration.keySources = [.key(try SecretBytes(randomByteCount: 32))]
        let keychain = Keychain(store: try VaultStore(configuration))
        let key = CredentialKey(service: "s", account: "a")
        var item = CredentialItem(key: key)
        item.created = Date(timeIntervalSince1970: 1_000_000)
        item.modified = Date(timeIntervalSince1970: 2_000_000.5)
        let credential = Credential(item: item, secret: try SecretBytes("x"))
        try await keychain.add([credential])
        var stored = try await keychain.credential(for: key)?.item
        XCTAssertEqual(stored?.created, item.created)
        XCTAssertEqual(stored?.modified, item.modified)
        // Storing sets the time.
        try await keychain.set(credential)
        stored = try await keychain.credential(for: key)?.item
        XCTAssertEqual(stored?.created, item.created)
        XCTAssertGreaterThan(try XCTUnwrap(stored?.modified), Date(timeIntervalSince1970: 3_000_000))
        // An item with further attributes is another one, also if there are several.
        for value in ["1", "2"] {
            let other = CredentialKey(service: "t", account: "a", attributes: ["x": value])
            try await keychain.set(Credential(item: CredentialItem(key: other), secret: try SecretBytes("y")))
        }
        let plain = CredentialKey(service: "t", account: "a")
        let added = try await keychain.add([
            Credential(item: CredentialItem(key: plain), secret: try SecretBytes("z")), credential,
        ])
        XCTAssertEqual(added.map(\.key), [plain])
        let changed = Credential(item: CredentialItem(key: plain), secret: try SecretBytes("other"))
        do {
            try await keychain.add([changed])
            XCTFail("an existing item was replaced")
        } catch {
            XCTAssertEqual(error, .alreadyExists)
        }
        try await keychain.add([changed], replacing: true)
        let secret = try await keychain.credential(for: plain)?.secret
        XCTAssertEqual(secret, changed.secret)
    }

    /// A time that an item cannot have is a loss, in every format.
    func testTimesOutsideTheYears1To9999AreLeftOut() throws {
        func keePass(_ seconds: UInt64) -> String {
            let bytes = withUnsafeBytes(of: seconds.littleEndian) { Data($0).base64EncodedString() }
            return document("<Times><CreationTime>\(bytes)</CreationTime></Times>")
        }
        func firefox(_ time: String) -> String {
            """
            "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed",\
            "timePasswordChanged"
            "https://a.example","u","p",,"","","\(time)","",""

            """
        }
        func bitwarden(_ time: String) -> String {
            #"{"encrypted":false,"items":[{"name":"n","creationDate":"\#(time)","login":{"password":"p"}}]}"#
        }
        for (text, time) in [
            (keePass(0), "0001-01-01T00:00:00.000Z"), (keePass(315_537_897_599), "9999-12-31T23:59:59.000Z"),
            (keePass(315_537_897_600), nil), (keePass(.max), nil), (keePass(1 << 63), nil),
            (firefox("-62135596800000"), "0001-01-01T00:00:00.000Z"), (firefox("-62135596800001"), nil),
            (firefox("253402300799999"), "9999-12-31T23:59:59.999Z"), (firefox("253402300800000"), nil),
            (firefox("9223372036854775807"), nil), (firefox("1e3"), nil),
            (firefox("99999999999999999999"), nil),
            (bitwarden("9999-12-31T23:59:59.999Z"), "9999-12-31T23:59:59.999Z"),
            (bitwarden("9999-12-31T23:59:59.999-00:01"), nil), (bitwarden("0001-01-01T00:00:00+00:01"), nil),
        ] {
            let read = try read(text)
            XCTAssertEqual(read.credentials.count, 1, text)
            XCTAssertEqual(read.credentials.first?.item.created.flatMap { Timestamp.text($0) }, time, text)
            XCTAssertEqual(read.losses.count, time == nil ? 1 : 0, text)
            XCTAssertEqual(
                read.losses.first?.detail,
                time == nil ? "left out: no time in the usual form" : nil
            )
        }
    }

    private func document(_ body: String) -> String {
        "<KeePassFile><Root><Group><Entry><String><Key>Title</Key><Value>t</Value></String>\(body)</Entry></Group></Root>"
            + "</KeePassFile>"
    }

    /// An entry has one loss of a kind, however often it has what is left out.
    func testLossesOfAnEntryAreOneOfAKind() throws {
        let count = 50_000
        let long = String(repeating: "é", count: 2000)
        let attachment = "<Binary><Key>\(long)</Key><Value/></Binary>"
        for (part, field, detail) in [
            ("<Tags>a</Tags>", "Tags", "left out"),
            ("<CustomData><a/></CustomData>", "CustomData", "left out"),
            ("<History><Entry/></History>", "history", "left out: 1 previous versions"),
            ("<Binary><Key>a</Key></Binary>", "attachment 'a'", "left out"),
            (
                "<Times><CreationTime>x</CreationTime></Times>", "created",
                "left out: no time in the usual form"
            ),
            ("<AutoType><a></a></AutoType>", "auto-type", "left out"),
        ] {
            let read = try read(document(String(repeating: part, count: count)))
            XCTAssertEqual(
                read.losses.map { "\($0.field): \($0.detail)" },
                ["\(field): \(detail), as are \(count - 1) more like it"]
            )
        }
        let losses = try read(document(attachment)).losses
        XCTAssertEqual(losses.count, 1)
        XCTAssertLessThan(losses[0].field.utf8.count, 130)
        let members = (0..<9000).map { #","x\#($0)":[1,2]"# }.joined()
        let bitwarden = try read(#"{"encrypted":false,"items":[{"name":"\#(long)"\#(members)}]}"#)
        XCTAssertEqual(bitwarden.losses.count, TransferLimits.kindCount)
        let further = 9000 - TransferLimits.kindCount
        XCTAssertEqual(bitwarden.losses.last?.detail, "left out, as are \(further) more like it")
        XCTAssertTrue(bitwarden.losses.allSatisfy { $0.entry.utf8.count <= 100 })
        let many = (0..<10_001).map { #","x\#($0)":1"# }.joined()
        assertOverLimit(#"{"encrypted":false,"items":[{"name":"n"\#(many)}]}"#)
    }

    /// Beyond a total, losses are counted, and entries that failed still are.
    func testLossesAreListedUpToATotal() throws {
        let limit = TransferLimits.lossCount
        for count in [limit, limit + 5] {
            let tags = String(repeating: "<Tags>a</Tags>", count: count)
            let read = try read("<KeePassFile><Root><Group>\(tags)</Group></Root></KeePassFile>")
            XCTAssertEqual(
                [read.losses.count, read.unlistedLossCount, read.failureCount],
                [limit, count - limit, 0]
            )
        }
        let account = String(repeating: "a", count: StoreLimits.nameByteCount + 1)
        let failing = try read(table(limit + 5) { "n\($0),https://h.example/,\(account),x" })
        XCTAssertEqual(
            [failing.losses.count, failing.unlistedLossCount, failing.failureCount],
            [limit, 5, limit + 5]
        )
    }

    /// Many small parts take many times their size in memory.
    func testPartsOfAllEntriesAreLimited() throws {
        let fields = String(
            repeating: "<String><Key>f</Key><Value/></String>",
            count: TransferLimits.fieldCount
        )
        let count = TransferLimits.partCount / (TransferLimits.fieldCount + 1) + 1
        let entries = String(repeating: "<Entry>\(fields)</Entry>", count: count)
        assertOverLimit("<KeePassFile><Root><Group>\(entries)</Group></Root></KeePassFile>")
        let folder = String(repeating: "f", count: StoreLimits.nameByteCount)
        let items = (0...TransferLimits.folderByteCount / folder.utf8.count).map {
            #"{"name":"\#($0)","folderId":"1"}"#
        }
        assertOverLimit(
            #"{"encrypted":false,"folders":[{"id":"1","name":"\#(folder)"}],"items":[\#(items.joined(separator: ","))]}"#
        )
    }
}
