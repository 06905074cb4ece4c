// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitTesting
import Foundation
import XCTest

@testable import CredKitKeychain

/// Compares the vault's format with programs that were written from `docs/vault-format.md`, in both directions.
final class VaultFormatTests: XCTestCase {
    private var folder = ""
    private var path: String { folder + "/vault" }

    override func setUpWithError() throws { folder = try TemporaryFolder.make() }
    override func tearDown() { TemporaryFolder.remove(folder) }

    private func vault(_ source: VaultKeySource) throws -> VaultStore {
        var configuration = VaultConfiguration()
        configuration.path = path
        configuration.stateDirectory = folder + "/state"
        configuration.keySources = [source]
        configuration.argon2idCost = try Argon2idCost(memory: .kibibytes(64), passes: 2)
        configuration.promptPolicy.timeout = .seconds(30)
        return try VaultStore(configuration)
    }

    private func credential(_ key: CredentialKey, _ secret: some SecretInput) throws -> Credential {
        Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    /// Items of every kind.
    private func credentials() throws -> [Credential] {
        var all: [Credential] = try [
            credential(CredentialKey(service: "mail", account: nil), "no account"),
            credential(CredentialKey(service: "mail", account: ""), "an empty account"),
            credential(CredentialKey(service: "mail", account: "alice"), ""),
            credential(CredentialKey(service: "mai", account: "lalice"), [0xFF, 0x00, 0x80] as [UInt8]),
            credential(
                CredentialKey(
                    service: "Grüße 🗝",
                    account: "名前",
                    attributes: ["z": "", "ä": "é\u{301}\n", "a": "\u{1}\"\\"]
                ),
                "Пароль"
            ),
            credential(
                CredentialKey(service: String(repeating: "s", count: 4096), account: "long"),
                (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            ),
        ]
        all[2].item.label = ""
        all[3].item.contentType = "application/octet-stream"
        for number in 0..<60 {
            let key = CredentialKey(
                service: "many",
                account: "account \(number)",
                attributes: ["n": "\(number % 7)"]
            )
            all.append(try credential(key, "secret \(number)"))
        }
        return all
    }

    private func stored(_ vault: VaultStore) async throws -> Set<PlainItem> {
        var all: Set<PlainItem> = []
        for item in try await vault.items(service: nil) {
            let credential = try await vault.credential(for: item.key)
            all.insert(PlainItem(try XCTUnwrap(credential)))
        }
        return all
    }

    private func readByPython(_ arguments: [String], input: String = "") throws -> Set<PlainItem> {
        let outcome = try Python.run([Python.vaultReader] + arguments + [path], input: Data(input.utf8))
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let document = try JSONDecoder().decode(PlainItem.Document.self, from: outcome.output)
        XCTAssertEqual(document.format, "credkit-credentials")
        XCTAssertEqual(document.version, 1)
        // The output has the format of an import.
        let imported = try CredentialsJSON.decode(SecretBytes([UInt8](outcome.output)))
        XCTAssertEqual(Set(imported.map(PlainItem.init)), Set(document.items))
        let items = Set(document.items)
        XCTAssertEqual(items.count, document.items.count)
        return items
    }

    func testIndependentReaderReadsTheSameItems() async throws {
        let vault = try vault(.passphrase(SecretBytes("größe")))
        let credentials = try credentials()
        try await vault.update(credentials.map { .set($0) })
        let key = try SecretBytes(randomByteCount: 100)
        try await vault.addSlot(.key(key), name: "Schlüssel")
        try await vault.addSlot(.passphrase(SecretBytes(" second\n")), name: "second")
        let keeper = InMemoryStore()
        try await vault.addSlot(.store(keeper), name: "kept elsewhere")
        let kept = await keeper.items(service: "credkit-vault")
        let storedKey = try await keeper.credential(for: try XCTUnwrap(kept.first).key)

        let expected = try await stored(vault)
        XCTAssertEqual(expected.count, credentials.count)
        XCTAssertEqual(try readByPython([], input: "größe"), expected)
        XCTAssertEqual(try readByPython(["--passphrase-fd", "0"], input: " second\n\n"), expected)
        for secret in [key, try XCTUnwrap(storedKey).secret] {
            let bytes = Data(secret.withSecretBytes { key in key.indices.map { key[$0] } })
            try bytes.write(to: URL(fileURLWithPath: folder + "/key"))
            XCTAssertEqual(try readByPython(["--key-file", folder + "/key"]), expected)
        }
    }

    func testIndependentReaderRefusesAWrongPassphrase() async throws {
        try await vault(.passphrase(SecretBytes("right"))).update(credentials().map { .set($0) })
        let outcome = try Python.run([Python.vaultReader, path], input: Data("wrong".utf8))
        XCTAssertEqual(outcome.status, 3)
        XCTAssertEqual(outcome.output, Data())
    }

    func testBothReadersAgreeOnChangedBits() async throws {
        let passphrase = try SecretBytes("right")
        let whole = try vault(.passphrase(passphrase))
        try await whole.set(credential(CredentialKey(service: "mail", account: "alice"), "secret"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // Every byte of the header, and some bytes of the items.
        let offsets = bytes.indices.filter { $0 < 320 || $0 % 331 == 0 || $0 >= bytes.count - 16 }
        let outcome = try Python.run(
            [TestScripts.path("flip_vault.py"), Python.vaultReader, path] + offsets.map { "\($0)" },
            input: Data("right".utf8)
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(outcome.lines.count, offsets.count)
        let end = Int(bytes[12]) | Int(bytes[13]) << 8
        for (offset, status) in zip(offsets, outcome.lines) {
            var changed = bytes
            changed[offset] ^= 1
            if offset < end - 32 {
                changed.replaceSubrange(
                    end - 32..<end,
                    with: SHA256.hash(data: changed.prefix(end - 32)).bytes
                )
            }
            try changed.write(to: URL(fileURLWithPath: path))
            XCTAssertEqual(chmod(path, 0o600), 0)
            TemporaryFolder.remove(folder + "/state")
            let expected: [KeychainError] =
                switch status {
                case "1": [.damaged, .unsupported]
                case "3": [.wrongPassphrase]
                default: [.overLimit]
                }
            do {
                let items = try await vault(.passphrase(passphrase)).items(service: nil)
                XCTFail("byte \(offset) may be changed: \(items.count) items")
            } catch let error as KeychainError {
                XCTAssertTrue(
                    expected.contains(error),
                    "byte \(offset): \(error), where python says \(status)"
                )
            }
        }
        XCTAssertEqual(Set(outcome.lines), ["1", "3", "4"])
    }

    /// What `write_vault.py` writes.
    private struct Request: Encodable {
        struct Item: Encodable {
            var service: String
            var account: String?
            var attributes: [String: String]
            var label = "Etikett"
            var contentType = "text/plain"
            var created = -1_500_000_000_001
            var modified = 1_700_000_000_123
            var secret: String?
            var secretBase64: String?
        }
        var passphrase = "другой"
        var memory = 32
        var passes = 3
        var items: [Item]
    }

    /// Writes a vault as another program would, and returns the key of its second slot.
    private func write(_ request: Request) throws -> SecretBytes {
        let key = try SecretBytes(randomByteCount: 32)
        try Data(key.withSecretBytes { key in key.indices.map { key[$0] } })
            .write(to: URL(fileURLWithPath: folder + "/key"))
        let outcome = try Python.run(
            [TestScripts.path("write_vault.py"), path, folder + "/key"],
            input: JSONEncoder().encode(request)
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return key
    }

    func testVaultWrittenByAnotherProgramOpens() async throws {
        let request = Request(items: [
            .init(service: "b", account: nil, attributes: ["ü": "1", "a": "2", "z": "3"], secret: "ключ"),
            .init(service: "b", account: "", attributes: [:], secretBase64: "/wCA"),
            .init(service: "a longer one", account: "🗝", attributes: [:], secret: ""),
        ])
        let key = try write(request)
        let opened = try vault(.passphrase(SecretBytes(request.passphrase)))
        let count = try await opened.verify()
        XCTAssertEqual(count, 3)
        let items = try await stored(opened)
        let byKey = try await stored(vault(.key(key)))
        XCTAssertEqual(items, byKey)
        XCTAssertEqual(items.count, 3)
        for wanted in request.items {
            let item = try XCTUnwrap(
                items.first { $0.service == wanted.service && $0.account == wanted.account }
            )
            XCTAssertEqual(item.attributes, wanted.attributes)
            XCTAssertEqual(item.label, wanted.label)
            XCTAssertEqual(item.secret, wanted.secret)
            XCTAssertEqual(item.secretBase64, wanted.secretBase64)
            XCTAssertEqual(item.created, "1922-06-20T21:19:59.999Z")
            XCTAssertEqual(item.modified, "2023-11-14T22:13:20.123Z")
        }
        let slots = try await opened.slots()
        XCTAssertEqual(slots.map(\.name), ["Küche", ""])
        // The next save also follows the page.
        try await opened.set(credential(CredentialKey(service: "c", account: "new"), "one more"))
        let all = try await stored(opened)
        XCTAssertEqual(all.count, 4)
        XCTAssertEqual(try readByPython([], input: request.passphrase), all)
    }

    /// No item has a time that other readers of the format refuse.
    func testTimesOutsideTheYears1To9999AreRefused() async throws {
        let (first, last) = (-62_135_596_800_000, 253_402_300_799_999)
        for (created, modified, isValid) in [
            (first, last, true), (0, first, true), (last, 0, true), (first - 1, 0, false),
            (0, first - 1, false),
            (last + 1, 0, false), (0, last + 1, false), (Int.max, 0, false), (0, Int.min, false),
        ] {
            var item = Request.Item(service: "s", attributes: [:], secret: "x")
            (item.created, item.modified) = (created, modified)
            let request = Request(items: [item])
            _ = try write(request)
            let place = "\(created) \(modified)"
            let outcome = try Python.run([Python.vaultReader, path], input: Data(request.passphrase.utf8))
            XCTAssertEqual(outcome.status, isValid ? 0 : 1, place + outcome.errors)
            let passphrase = try SecretBytes(request.passphrase)
            let opened = try vault(.passphrase(passphrase))
            var errors: [KeychainError] = []
            do { _ = try await opened.verify() } catch { errors.append(error) }
            do { _ = try await opened.items(service: nil) } catch { errors.append(error) }
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            do { _ = try VaultArchive.decrypt(bytes, passphrase: passphrase) } catch { errors.append(error) }
            XCTAssertEqual(errors, isValid ? [] : [.damaged, .damaged, .damaged], place)
            // What this account has seen of the vault, which the next one replaces.
            for file in [path, folder + "/state"] { try FileManager.default.removeItem(atPath: file) }
        }
        // None is written either.
        for milliseconds in [Double(first - 1), Double(last + 1), 1e300, -.infinity, .nan] {
            var credential = try credential(CredentialKey(service: "s", account: nil), "x")
            credential.item.created = Date(timeIntervalSince1970: milliseconds / 1000)
            XCTAssertThrowsError(try VaultArchive.encrypt([credential], passphrase: SecretBytes("p"))) {
                XCTAssertEqual($0 as? KeychainError, .invalid, "\(milliseconds)")
            }
        }
    }
}
