// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// The files of a cache: what they tell, and what becomes of damaged, exchanged and left ones.
final class CacheFileTests: CacheTestCase {
    /// A session of a later process: with nothing in memory.
    private func later() async throws -> LoginSession {
        let session = try caching()
        let isRestored = try await session.restore()
        XCTAssertTrue(isRestored)
        return session
    }

    func testLaterProcessFindsStoredResponses() async throws {
        let first = try await loggedInWithCache()
        serve()
        _ = try await fetch(first)
        try await first.flush()
        let answer = try await fetch(later())
        XCTAssertEqual(answer.text, "page of alice")
        XCTAssertEqual(answer.use, .stored)
        XCTAssertEqual(server.dataTries, 1)
    }

    func testNothingIsFoundInClear() async throws {
        let session = try await loggedInWithCache()
        let deep = TestForm.isDeep
        let header = try XCTUnwrap(HTTPField.Name("X-Page"))
        for number in 0..<(deep ? 1000 : 100) {
            serve(
                "/data/marker-path/\(number)",
                [
                    "Cache-Control": "max-age=60", "X-Page": "marker-header", "Set-Cookie": "a=marker-cookie",
                    "Vary": "X-Page",
                ]
            ) { user in "marker-body \(user) \(number)" }
            let endpoint = Endpoint<[UInt8]>.get("/data/marker-path/\(number)", query: ["q": "marker-query"])
                .setting(\.headers, to: [header: "marker-request"])
            _ = try await fetch(session, endpoint)
        }
        try await session.flush()
        XCTAssertEqual(cacheFiles.count, deep ? 1000 : 100)
        let markers = ["marker", "alice", "127.0.0.1", "cookie-secret", "Cache-Control", "max-age"]
        for path in cacheFiles {
            XCTAssertFalse(markers.contains { path.dropFirst(folder.count).contains($0) }, path)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for marker in markers { XCTAssertNil(bytes.range(of: Data(marker.utf8)), "\(marker) in \(path)") }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
        }
    }

    func testDamagedAndExchangedFilesAreMissesAndRemoved() async throws {
        let session = try await loggedInWithCache()
        for number in 0..<4 {
            serve("/data/\(number)") { user in "page \(number) of \(user)" }
            _ = try await fetch(session, Self.page("/data/\(number)"))
        }
        try await session.flush()
        let files = cacheFiles
        let contents = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let bob = try caching { $0.name = "bob" }
        try await bob.logIn(username: "bob", password: "li")
        _ = try await fetch(bob, Self.page("/data/0"))
        try await bob.flush()
        let ofBob = try cacheFiles.filter { !files.contains($0) }.map {
            try Data(contentsOf: URL(fileURLWithPath: $0))
        }
        XCTAssertEqual(ofBob.count, 1)
        var generator = SystemRandomNumberGenerator()
        let deep = TestForm.isDeep
        let opened = try await later()
        for round in 0..<(deep ? 10_000 : 300) {
            let target = Int.random(in: 0..<4, using: &generator)
            var bytes = contents[target]
            switch round % 4 {
            case 0: bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator))
            case 1:
                let position = bytes.startIndex + Int.random(in: 0..<bytes.count, using: &generator)
                bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2:
                let other = Int.random(in: 1...4, using: &generator)
                bytes = other == 4 ? ofBob[0] : contents[(target + other) % 4]
            default: bytes += Data([UInt8.random(in: 0...255, using: &generator)])
            }
            try bytes.write(to: URL(fileURLWithPath: files[target]))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files[target])
            let cache = try XCTUnwrap(opened.cache)
            var found = 0
            for number in 0..<4 {
                let location = CacheLocation(
                    account: "alice",
                    hasCredentials: true,
                    url: try HTTPURL("http://127.0.0.1:1/data/\(number)")
                )
                for response in cache.responses(at: location) {
                    XCTAssertEqual(response.body, Array("page \(number) of alice".utf8))
                    found += 1
                }
            }
            XCTAssertEqual(found, 3, "round \(round)")
            XCTAssertFalse(FileManager.default.fileExists(atPath: files[target]), "round \(round)")
            try contents[target].write(to: URL(fileURLWithPath: files[target]))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files[target])
            // Nothing is in memory for the next round.
            let key = try XCTUnwrap(opened.state.withLock { $0.key })
            try await cache.open(with: SessionKey())
            await cache.open(with: key)
        }
    }

    func testLogoutRemovesFilesAndFolderForGood() async throws {
        let session = try await loggedInWithCache()
        let other = try await later()
        serve()
        _ = try await fetch(session)
        try await session.flush()
        XCTAssertEqual(cacheFiles.count, 1)
        try await session.logOut()
        let folders = try FileManager.default.contentsOfDirectory(atPath: folder + "/responses")
        XCTAssertEqual(folders, [])
        // A process that does not know of the logout makes no folder anew.
        serve("/data/page", ["Cache-Control": "max-age=60"]) { _ in "late" }
        _ = try await fetch(other)
        try await other.flush()
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/responses"), [])
    }

    func testNextUserRemovesTheFilesOfTheOneBefore() async throws {
        let session = try await loggedInWithCache()
        serve()
        _ = try await fetch(session)
        try await session.flush()
        let before = cacheFiles
        try await session.logIn(username: "bob", password: "li")
        XCTAssertEqual(before.count, 1)
        XCTAssertEqual(cacheFiles, [])
    }

    func testLostKeyLosesTheCache() async throws {
        let session = try await loggedInWithCache()
        serve()
        _ = try await fetch(session)
        try await session.flush()
        let file = try XCTUnwrap(cacheFiles.first)
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        let keys = try CacheCipherKeys.random()
        let parent = (file as NSString).deletingLastPathComponent
        let foreign = try CacheFolder(parent, keys: keys, maximumByteCount: 1 << 20, isCreated: false)
        let location = CacheLocation(
            account: "alice",
            hasCredentials: true,
            url: try HTTPURL("http://127.0.0.1:1/data/page")
        )
        XCTAssertTrue(foreign.read(location).isEmpty)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: file)), content)
    }

    func testProcessesShareAFolder() async throws {
        let first = try await loggedInWithCache()
        let second = try await later()
        for number in 0..<50 {
            serve("/data/\(number)") { _ in "page \(number)" }
        }
        try await withThrowingTaskGroup { group in
            for session in [first, second] {
                group.addTask {
                    for number in (0..<50).shuffled() {
                        _ = try await session.send(Self.page("/data/\(number)"))
                        if number % 10 == 0 { try await session.removeCached(Self.page("/data/\(number)")) }
                    }
                    try await session.flush()
                }
            }
            try await group.waitForAll()
        }
        let third = try await later()
        for number in 0..<50 where number % 10 != 0 {
            let answer = try await fetch(third, Self.page("/data/\(number)"))
            XCTAssertEqual(answer.text, "page \(number)")
            XCTAssertEqual(answer.use, .stored, "\(number)")
        }
        XCTAssertFalse(cacheFiles.contains { $0.contains("/.new-") })
    }

    func testFullDiskLosesOnlyTheCache() async throws {
        let disk = folder + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try XCTSkipUnless(
            mount("none", disk, "tmpfs", 0, "size=64k,mode=700") == 0,
            "this user cannot mount file systems"
        )
        defer { umount(disk) }
        let session = try await loggedInWithCache { $0.cache?.folder = disk }
        for number in 0..<40 {
            serve("/data/\(number)") { _ in String(repeating: "x", count: 5000) }
            let answer = try await fetch(session, Self.page("/data/\(number)"))
            XCTAssertEqual(answer.text.count, 5000)
        }
        try await session.flush()
        let names = try FileManager.default.subpathsOfDirectory(atPath: disk)
        XCTAssertFalse(names.contains { $0.contains(".new-") }, "\(names)")
    }

    /// One session changes its user at random; another user and a session without a login share its folder.
    func testTasksOfManyUsersNeverMix() async throws {
        let changing = try await loggedInWithCache()
        let bob = try caching { $0.name = "bob" }
        try await bob.logIn(username: "bob", password: "li")
        let anonymous = try caching { $0.name = "anonymous" }
        serve()
        let deep = TestForm.isDeep
        let uses = Lock<[CacheUse: Int]>([:])
        let read = { @Sendable (session: LoginSession) async throws -> String in
            let answer = try await fetch(session, Self.page("/data/page"))
            uses.withLock { $0[answer.use, default: 0] += 1 }
            return answer.text
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    for _ in 0..<(deep ? 100 : 10) {
                        switch number % 8 {
                        case 0:
                            let isAlice = Bool.random()
                            // A logout or another login may end it.
                            try? await changing.logIn(
                                username: isAlice ? "alice" : "bob",
                                password: isAlice ? "zhang" : "li"
                            )
                        case 1: try? await changing.logOut()
                        case 2, 3:
                            let page = try await read(bob)
                            XCTAssertEqual(page, "page of bob")
                        case 4:
                            let page = try await read(anonymous)
                            XCTAssertEqual(page, "page of none")
                        default:
                            // The user before and after: if it was the same all the time, the page must be theirs.
                            let before = changing.state.withLock { ($0.logins.generation, $0.account) }
                            guard let page = try? await read(changing) else { continue }
                            let after = changing.state.withLock { $0.logins.generation }
                            if before.0.user == after.user {
                                XCTAssertEqual(page, "page of \(before.1 ?? "none")")
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        // Two sessions had their page from the cache all but once.
        XCTAssertGreaterThan(uses.withLock { $0[.stored] ?? 0 }, 100)
    }
}
