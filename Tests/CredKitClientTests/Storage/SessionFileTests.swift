// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitKeychain
import CredKitTestSupport
import Foundation
import CredKitTesting
import XCTest

@testable import CredKitClient

/// The encrypted file of a session.
final class SessionFileTests: SessionTestCase {
    private var contents: SessionContents {
        SessionContents(
            server: "https://school.example",
            credentialOrigins: ["https://school.example"],
            profile: Data("{}".utf8),
            service: "https://school.example",
            account: "alice@example",
            loginID: "1",
            cookies: Data("jar".utf8),
            token: "token-secret",
            serverUTCOffsetMinutes: 480,
            savesPassword: true,
            allowsInsecureHTTP: false
        )
    }

    private func file(_ name: String? = nil) throws -> SessionFile {
        try SessionFile(name: name ?? "the session", folder: folder + "/sessions")
    }

    private var bytes: [UInt8] {
        get throws { Array(try Data(contentsOf: URL(fileURLWithPath: filePath))) }
    }

    private func put(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: filePath))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: filePath)
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    func testWrittenDataIsReadBack() async throws {
        let key = try SessionKey()
        let nothing = try await file().read(key: key)
        XCTAssertNil(nothing)
        try await file().write(contents, key: key, isNew: true)
        let read = try await file().read(key: key)
        XCTAssertEqual(read, contents)
        XCTAssertEqual(try permissions(filePath), 0o600)
        XCTAssertEqual(try permissions(folder + "/sessions"), 0o700)
        try await file().remove()
        try await file().remove()
        XCTAssertEqual(files, [])
    }

    func testFileContainsNoPlaintext() async throws {
        server.state.withLock { $0.sendsToken = true }
        let session = try session("http://127.0.0.1:1") { $0.name = "name-of-session" }
        try await session.logIn(username: "alice", password: "zhang")
        let text = String(decoding: try bytes, as: Unicode.ASCII.self) + files.joined()
        let secrets = [
            "alice", "zhang", "cookie-secret-1", "token-secret", "127.0.0.1", "name-of-session", "itheima",
            "sid", "hmac",
            "userId",
        ]
        for secret in secrets {
            let data = Data(secret.utf8)
            let hex = data.map { String(format: "%02x", $0) }.joined()
            for form in [secret, hex, hex.uppercased(), data.base64EncodedString().replacing("=", with: "")] {
                XCTAssertFalse(text.contains(form), form)
            }
        }
        XCTAssertTrue(text.hasPrefix("CKSESS1\n"))
        // No two writes produce the same bytes.
        let before = try bytes
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertNotEqual(try Array(bytes[8..<20]), Array(before[8..<20]))
    }

    func testEveryChangedByteIsDetected() async throws {
        let key = try SessionKey()
        try await file().write(contents, key: key, isNew: true)
        let whole = try bytes
        for place in stride(from: 0, to: whole.count, by: 7) {
            var changed = whole
            changed[place] ^= 1 << UInt8.random(in: 0..<8)
            try put(changed)
            let error = await failure { _ = try await self.file().read(key: key) }
            XCTAssertEqual(error, .storage)
            XCTAssertTrue(error?.description.contains("'the session'") ?? false)
        }
        for count in [0, 1, 8, 20, 21, 35, 36, whole.count - 1] {
            try put(Array(whole.prefix(count)))
            let error = await failure { _ = try await self.file().read(key: key) }
            XCTAssertEqual(error, .storage, "\(count)")
        }
        try put(whole + [0])
        let longer = await failure { _ = try await self.file().read(key: key) }
        XCTAssertEqual(longer, .storage)
        try put(whole)
        let other = try SessionKey()
        let wrong = await failure { _ = try await self.file().read(key: other) }
        XCTAssertEqual(wrong, .storage)
        // One session's file replaced by another's.
        try await file("other").write(contents, key: key, isNew: true)
        let names = files
        let mine = folder + "/sessions/" + names.first { $0 != SessionFileTests.fileName(of: "other") }!
        let its = folder + "/sessions/" + SessionFileTests.fileName(of: "other")
        try FileManager.default.removeItem(atPath: mine)
        try FileManager.default.moveItem(atPath: its, toPath: mine)
        let swapped = await failure { _ = try await self.file().read(key: key) }
        XCTAssertEqual(swapped, .storage)
    }

    private static func fileName(of name: String) -> String {
        SHA256.hash(data: Array("credkit session \(name)".utf8)).hex + ".session"
    }

    func testLinksAndFoldersWritableByOthersAreRefused() async throws {
        let key = try SessionKey()
        try await file().write(contents, key: key, isNew: true)
        let path = filePath
        let elsewhere = folder + "/elsewhere"
        try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        let link = await failure { _ = try await self.file().read(key: key) }
        XCTAssertEqual(link, .insecureFile)
        // Writing replaces the link, not its target.
        let before = try Data(contentsOf: URL(fileURLWithPath: elsewhere))
        try await file().write(contents, key: key, isNew: true)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: elsewhere)), before)
        let read = try await file().read(key: key)
        XCTAssertEqual(read, contents)
        for mode in [0o620, 0o602] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = await failure { _ = try await self.file().read(key: key) }
            XCTAssertEqual(error, .insecureFile)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        for mode in [0o770, 0o707] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode],
                ofItemAtPath: folder + "/sessions"
            )
            let reading = await failure { _ = try await self.file().read(key: key) }
            XCTAssertEqual(reading, .insecureFile)
            let writing = await failure { try await self.file().write(self.contents, key: key, isNew: true) }
            XCTAssertEqual(writing, .insecureFile)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder + "/sessions")
        try FileManager.default.removeItem(atPath: path)
        XCTAssertEqual(mkfifo(path, 0o600), 0)
        let pipe = await failure { _ = try await self.file().read(key: key) }
        XCTAssertEqual(pipe, .insecureFile)
    }

    func testBackgroundSaveReplacesOnlyTheFileOfTheSameLogin() async throws {
        let key = try SessionKey()
        let file = try file()
        let isWritten = try await file.write(contents, key: key, isNew: false)
        XCTAssertFalse(isWritten)
        XCTAssertEqual(files, [])
        try await file.write(contents, key: key, isNew: true)
        var other = contents
        other.loginID = "2"
        other.token = "2"
        for (contents, key, expected) in [
            (other, key, false), (contents, try SessionKey(), false), (contents, key, true),
        ] {
            let isWritten = try await file.write(contents, key: key, isNew: false)
            XCTAssertEqual(isWritten, expected)
        }
        let read = try await file.read(key: key)
        XCTAssertEqual(read, contents)
    }

    func testLeftoversOfAKilledWriterAreRemoved() async throws {
        let key = try SessionKey()
        try await file().write(contents, key: key, isNew: true)
        let left = folder + "/sessions/." + (files.first ?? "") + ".0123456789abcdef"
        try Data("x".utf8).write(to: URL(fileURLWithPath: left))
        try Data("y".utf8).write(to: URL(fileURLWithPath: folder + "/sessions/other"))
        try await file().remove()
        XCTAssertEqual(files, ["other"])
    }

    func testFullDiskKeepsTheOldFileIntact() async throws {
        let disk = folder + "/sessions"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        func run(_ command: String) throws -> Int32 {
            try Program.run(["sh", "-c", command]).status
        }
        let isMounted = try run("mount -t tmpfs -o size=64k,mode=700 tmpfs '\(disk)' 2>/dev/null") == 0
        try XCTSkipUnless(isMounted, "only root can make a small disk")
        defer { _ = try? run("umount '\(disk)'") }
        let session = try await loggedIn()
        let name = files.first ?? ""
        _ = try run("head -c 100000 /dev/zero > '\(disk)/filler' 2>/dev/null")
        server.script("/data") { _ in .json(#"{"user": "alice"}"#).addingHeader("Set-Cookie", "more=1") }
        _ = try await session.send(.data)
        let error = await failure { try await session.flush() }
        XCTAssertEqual(error, .storage)
        let again = await failure { try await session.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(again, .storage)
        XCTAssertEqual(files, ["filler", name].sorted(), "no partial file should remain")
        let later = try self.session()
        try await later.restore()
        XCTAssertEqual(later.cookies.map(\.value), ["cookie-secret-1"], "the old file should be intact")
        _ = try run("rm '\(disk)/filler'")
        try await session.logOut()
        XCTAssertEqual(files, [])
    }

    func testDamagedKeyIsReportedAndReplacedByALogin() async throws {
        _ = try await loggedIn()
        for text in ["nonsense", "", Base64.standard.encode(Array("short".utf8))] where !text.isEmpty {
            let item = CredentialItem(key: SessionKey.item("http://127.0.0.1:1"))
            try await keychain.set(Credential(item: item, secret: SecretBytes(text)))
            let later = try session()
            let error = await failure { try await later.restore() }
            XCTAssertEqual(error, .storage)
            try await later.logIn(username: "alice", password: "zhang")
            let third = try session()
            let isRestored = try await third.restore()
            XCTAssertTrue(isRestored)
        }
    }
}
