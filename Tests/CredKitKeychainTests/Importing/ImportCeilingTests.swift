// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
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
        XCTAssertEqual(equal.losses.count, 19_999)
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
}
