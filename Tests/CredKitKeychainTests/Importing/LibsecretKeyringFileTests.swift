// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// Keyrings that libsecret wrote.
final class LibsecretKeyringFileTests: XCTestCase {
    private struct Case: Decodable {
        struct Item: Decodable {
            var label: String
            var attributes: [String: String]
            var secret: HexBytes
        }

        var password: String
        var keyring: HexBytes
        var items: [Item]
    }

    private var keyrings: [Case] = []

    override func setUpWithError() throws { keyrings = try VectorFile.load("libsecret-keyrings").cases }

    private func read(_ bytes: [UInt8], _ password: String) throws -> [Credential] {
        try LibsecretKeyringFile.read(bytes, password: SecretBytes(password))
    }

    private func error(of bytes: [UInt8], _ password: String) -> KeychainError? {
        do {
            _ = try read(bytes, password)
            return nil
        } catch {
            return error as? KeychainError
        }
    }

    /// A small keyring with few iterations.
    private func small() throws -> (bytes: [UInt8], password: String) {
        let keyring = try XCTUnwrap(keyrings.first { $0.password == "small" })
        return (keyring.keyring.bytes, keyring.password)
    }

    func testAllItemsStoredByLibsecretAreRead() throws {
        XCTAssertEqual(keyrings.count, 5)
        for keyring in keyrings {
            let credentials = try read(keyring.keyring.bytes, keyring.password)
            XCTAssertEqual(credentials.count, keyring.items.count)
            for (credential, stored) in zip(credentials, keyring.items) {
                var attributes = stored.attributes
                let contentType = attributes.removeValue(forKey: "xdg:content-type")
                let item = credential.item
                XCTAssertEqual(item.label, stored.label)
                XCTAssertEqual(item.service, stored.attributes["service"] ?? "")
                XCTAssertEqual(item.account, stored.attributes["username"])
                attributes["service"] = nil
                attributes["username"] = nil
                XCTAssertEqual(item.key.attributes, attributes)
                XCTAssertEqual(credential.secret, try SecretBytes(stored.secret.bytes))
                let isText = String(bytes: stored.secret.bytes, encoding: .utf8) != nil
                XCTAssertEqual(
                    item.contentType,
                    contentType ?? (isText ? "text/plain" : "application/octet-stream")
                )
                // The vectors were created in 2025 or later.
                let created = try XCTUnwrap(item.created)
                XCTAssertGreaterThan(created.timeIntervalSince1970, 1_735_689_600)
                XCTAssertEqual(item.modified, created)
            }
        }
    }

    func testAKeyringIsReadFromItsFile() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let (bytes, password) = try small()
        let file = URL(fileURLWithPath: folder + "/default.keyring")
        try Data(bytes).write(to: file)
        let secret = try SecretBytes(password)
        XCTAssertEqual(try LibsecretKeyringFile.read(contentsOfFile: file.path, password: secret).count, 2)
        for (path, expected) in [
            (folder, KeychainError.invalid), (folder + "/none", .notFound), ("a\0b", .invalid),
        ] {
            XCTAssertThrowsError(try LibsecretKeyringFile.read(contentsOfFile: path, password: secret)) {
                XCTAssertEqual($0 as? KeychainError, expected)
            }
        }
    }

    func testWrongPasswordIsDistinguishedFromDamage() throws {
        let (bytes, password) = try small()
        for wrong in ["", "smal", "small ", "Small"] {
            XCTAssertEqual(error(of: bytes, wrong), .wrongPassphrase)
        }
        // The last byte of the salt.
        XCTAssertEqual(error(of: flipped(bytes, 53, 1), password), .wrongPassphrase)
        // The MAC of the last item; after it come two one-byte offsets, and the offsets of the array and of the
        // keyring.
        XCTAssertEqual(error(of: flipped(bytes, bytes.count - 10, 1), password), .damaged)
    }

    func testEveryChangedBitIsDetectedExceptInTimeAndCount() throws {
        let (bytes, password) = try small()
        for index in bytes.indices {
            for bit in 0..<8 {
                // These iteration counts are allowed, and slow.
                if index == 56 { continue }
                let error = error(of: flipped(bytes, index, 1 << bit), password)
                if (58..<70).contains(index) {
                    XCTAssertNil(error, "byte \(index)")
                } else {
                    XCTAssertNotNil(error, "byte \(index), bit \(bit)")
                }
            }
        }
    }

    func testEveryTruncationIsDetected() throws {
        let (bytes, password) = try small()
        for count in bytes.indices {
            XCTAssertEqual(error(of: Array(bytes[..<count]), password), .damaged, "\(count) bytes")
        }
        for more in [[0], [1], [UInt8](repeating: 0, count: 300)] as [[UInt8]] {
            XCTAssertNotNil(error(of: bytes + more, password))
        }
    }

    func testRandomBytesAreNotAKeyring() {
        var generator = SystemRandomNumberGenerator()
        let start = LibsecretKeyringFile.magic + [1, 0]
        for count in 0..<2000 {
            var bytes = (0..<count % 250).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Few iterations, and a salt whose size is sometimes valid.
            if bytes.count > 12 { bytes.replaceSubrange(0..<12, with: [4, 0, 0, 0, 1, 2, 3, 4, 1, 0, 0, 0]) }
            if count.isMultiple(of: 2), !bytes.isEmpty { bytes[bytes.count - 1] = 8 }
            XCTAssertNotNil(error(of: start + bytes, "password"), Hex.encode(bytes))
        }
    }

    func testTooManyIterationsAreRefusedBeforeAnyIsComputed() throws {
        var (bytes, password) = try small()
        bytes.replaceSubrange(54..<58, with: [0x81, 0x96, 0x98, 0])
        let start = ContinuousClock.now
        XCTAssertEqual(error(of: bytes, password), .overLimit)
        bytes.replaceSubrange(54..<58, with: [0xFF, 0xFF, 0xFF, 0xFF])
        XCTAssertEqual(error(of: bytes, password), .overLimit)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(60))
        bytes.replaceSubrange(54..<58, with: [0, 0, 0, 0])
        XCTAssertEqual(error(of: bytes, password), .damaged)
    }

    func testDaemonKeyringsAreRecognized() {
        let magic = LibsecretKeyringFile.magic
        // Version 0.0, AES and MD5, and the length of the name.
        for bytes in [magic + [0, 0, 0, 0, 0, 0, 0, 5], Array("[keyring]\ndisplay-name=Login\n".utf8)] {
            let error = error(of: bytes, "password")
            XCTAssertEqual(error, .unsupported)
            XCTAssertTrue("\(error ?? .damaged)".contains("credkit keychain move --from secret-service"))
        }
        XCTAssertEqual(error(of: magic + [2, 0, 0], "password"), .unsupported)
        XCTAssertEqual(error(of: magic + [1, 1, 0], "password"), .unsupported)
        XCTAssertEqual(error(of: magic + [1], "password"), .damaged)
        XCTAssertEqual(error(of: Array("CredKitV".utf8), "password"), .damaged)
    }

    private func flipped(_ bytes: [UInt8], _ index: Int, _ mask: UInt8) -> [UInt8] {
        var changed = bytes
        changed[index] ^= mask
        return changed
    }
}
