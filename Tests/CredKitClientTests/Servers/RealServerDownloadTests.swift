// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Downloads from Apache httpd, nginx, aiohttp, Starlette and PHP over connections that are cut.
final class RealServerDownloadTests: RealServerTestCase {
    private static let content = SecureRandom.bytes(count: 2 << 20)
    private static let changed = SecureRandom.bytes(count: 2 << 20)
    private static let cut = 1 << 20

    /// Servers that support ranges, and give a file a strong tag.
    private func servers() -> KeyValuePairs<String, () throws -> RealServer> {
        let (root, folder) = (root, folder)
        return [
            "httpd": { try .httpd(root, in: folder) },
            "nginx": { try .nginx(root, in: folder) },
            "aiohttp": { try .python("aiohttp", root) },
            "starlette": { try .python("starlette", root) },
        ]
    }

    /// Begins a download, whose connection is cut.
    private func begin(
        _ server: RealServer,
        _ endpoint: Endpoint<[UInt8]> = .file,
        keepsPart: Bool = true,
        _ name: String
    ) async throws -> LoginSession {
        let session = try session(server.cuttableURL)
        try server.cut(after: Self.cut)
        let error = await failure {
            try await session.download(endpoint, to: self.path, options: .resume)
        }
        XCTAssertEqual(error, .noResponse, "\(name): \(String(describing: error))")
        let part = size(path + ".credkit-part")
        if keepsPart {
            XCTAssertTrue((Self.cut - 2000..<Self.cut).contains(part), "\(name): \(part)")
        } else {
            XCTAssertEqual(part, -1, name)
        }
        return session
    }

    /// Ends a download.
    private func assertEnds(
        _ session: LoginSession,
        with content: [UInt8],
        _ endpoint: Endpoint<[UInt8]> = .file,
        isResumed: Bool,
        _ name: String,
        line: UInt = #line
    ) async throws {
        let reports = Lock<[ByteProgress]>([])
        let file = try await session.download(endpoint, to: path, options: .resume) { report in
            reports.withLock { $0.append(report) }
        }
        XCTAssertEqual(file.resumedByteCount > 0, isResumed, name, line: line)
        let states = reports.withLock { $0 }
        XCTAssertEqual(states.last?.completed, Int64(content.count), name, line: line)
        XCTAssertEqual(states.map(\.completed), states.map(\.completed).sorted(), name, line: line)
        XCTAssertEqual(file.byteCount, Int64(content.count), name, line: line)
        XCTAssertEqual(try digest(path), SHA256.hash(data: content).hex, name, line: line)
        XCTAssertEqual(names.filter { $0.hasPrefix("target") }, ["target"], name, line: line)
    }

    /// aiohttp takes an If-Range with a tag for one with a date that it cannot read, and sends the range of a changed file.
    /// The tag of its response shows that.
    func testCutDownloadIsContinuedUnlessTheFileHasChanged() async throws {
        try await withEach(servers()) { name, server in
            try serve(Self.content)
            let session = try await begin(server, .file, name)
            try await assertEnds(session, with: Self.content, isResumed: true, name)
            let later = try await begin(server, .file, name)
            try serve(Self.changed, age: 1800)
            try await assertEnds(later, with: Self.changed, isResumed: false, name)
        }
    }

    func testCompletePartIsRecognized() async throws {
        try await withEach(servers()) { name, server in
            try serve(Self.content)
            let session = try session(server.url)
            let head = try await session.send(head(.head, server.url)).head
            let part = try await PartialDownload(path, owner: [server.url + "/file", "no user"])
            // As after a response without a length, whose connection was cut at the very end.
            try await part.begin(try XCTUnwrap(DownloadValidator(head)), total: nil)
            try await part.write(Self.content, at: 0)
            await part.interrupt()
            try await assertEnds(session, with: Self.content, isResumed: true, name)
        }
    }

    func testFileWithoutTagIsContinuedIfItsDateIsOldEnough() async throws {
        let (root, folder) = (root, folder)
        try await withEach([
            "httpd": { try .httpd(root, in: folder, "FileETag None") },
            "nginx": { try .nginx(root, in: folder, "etag off;") },
        ]) { name, server in
            for age in [3600, 10] {
                try serve(Self.content, age: age)
                let session = try await begin(server, .file, keepsPart: age > 60, name)
                try await assertEnds(session, with: Self.content, isResumed: age > 60, name)
                try FileManager.default.removeItem(atPath: path)
            }
            try serve(Self.content)
            let session = try await begin(server, .file, name)
            try serve(Self.changed, age: 1800)
            try await assertEnds(session, with: Self.changed, isResumed: false, name)
        }
    }

    /// httpd gives a file that was modified in this second, or later, a weak tag.
    func testFileWithWeakTagIsFetchedAnew() async throws {
        let server = try RealServer.httpd(root, in: folder)
        try serve(Self.content, age: -1000)
        let session = try await begin(server, .file, keepsPart: false, "weak")
        try await assertEnds(session, with: Self.content, isResumed: false, "weak")
    }

    /// The file gets the bytes of the compressed response. httpd gives it a strong tag, and has ranges of small files only;
    /// nginx gives it a weak tag, and has no ranges of it.
    func testCompressedFile() async throws {
        let (root, folder) = (root, folder)
        var gzip = Endpoint<[UInt8]>.file
        gzip.headers[.acceptEncoding] = "gzip"
        try await withEach([
            "httpd": { try .httpd(root, in: folder, "SetOutputFilter DEFLATE") },
            "nginx": { try .nginx(root, in: folder, "gzip on; gzip_types *;") },
        ]) { name, server in
            try serve(Self.content)
            let whole = try await session(server.url).value(of: gzip)
            XCTAssertEqual(whole.prefix(2), [0x1F, 0x8B], name)
            let session = try await begin(server, gzip, keepsPart: name == "httpd", name)
            try await assertEnds(session, with: whole, gzip, isResumed: false, name)
        }
    }

    func testServersWithoutRanges() async throws {
        let (root, folder) = (root, folder)
        let program = """
            header('ETag: "1"');
            header('Content-Length: ' . filesize('\(root)/file'));
            readfile('\(root)/file');
            """
        try await withEach([
            // Its own files have no validator.
            "php": { try .php(root, in: folder) },
            "php, program": { try .php(root, in: folder, program) },
        ]) { name, server in
            try serve(Self.content)
            let session = try await begin(server, .file, keepsPart: name != "php", name)
            try await assertEnds(session, with: Self.content, isResumed: false, name)
        }
    }
}
