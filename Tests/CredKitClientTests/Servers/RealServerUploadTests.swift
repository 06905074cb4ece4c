// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Uploads to Apache httpd, nginx, aiohttp and PHP, and responses that PHP, aiohttp and Starlette send in pieces.
final class RealServerUploadTests: RealServerTestCase {
    private var source: String { folder + "/source" }

    private func upload(_ byteCount: Int, to path: String) throws -> Endpoint<Void> {
        try Data(SecureRandom.bytes(count: byteCount)).write(to: URL(fileURLWithPath: source))
        return Endpoint<Void>(.put, path, payload: .file(source))
    }

    func testFileIsUploaded() async throws {
        let (root, folder) = (root, folder)
        let program = """
            file_put_contents('\(root)' . $_SERVER['REQUEST_URI'], fopen('php://input', 'r'));
            http_response_code(201);
            """
        try await withEach([
            "httpd": { try .httpd(root, in: folder) },
            "nginx": { try .nginx(root, in: folder) },
            "aiohttp": { try .python("aiohttp", root) },
            "php": { try .php(root, in: folder, program) },
        ]) { name, server in
            let session = try session(server.url)
            for byteCount in [0, 1, 3 << 20] {
                let endpoint = try upload(byteCount, to: "/new-\(byteCount)")
                let reports = Lock<[ByteProgress]>([])
                let response = try await session.send(endpoint) { report in
                    reports.withLock { $0.append(report) }
                }
                XCTAssertEqual(response.head.status.code, 201, name)
                XCTAssertEqual(try digest(root + endpoint.path), try digest(source), name)
                try FileManager.default.removeItem(atPath: root + endpoint.path)
                let last = ByteProgress(completed: Int64(byteCount), total: Int64(byteCount), attempt: 1)
                XCTAssertEqual(reports.withLock { $0.last }, last, name)
            }
        }
    }

    /// The servers answer before they have read the file.
    func testRefusedFileHasTheServersStatus() async throws {
        let (root, folder) = (root, folder)
        try await withEach([
            "httpd": { try .httpd(root, in: folder) },
            "nginx": { try .nginx(root, in: folder) },
        ]) { name, server in
            let session = try session(server.url)
            let endpoint = try upload(4 << 20, to: "/limited/new")
            for _ in 0..<10 {
                let error = await failure { try await session.send(endpoint).value }
                XCTAssertEqual(error, .unexpectedStatus, "\(name): \(String(describing: error))")
                XCTAssertEqual(error?.statusCode, 413, name)
                XCTAssertFalse(FileManager.default.fileExists(atPath: root + "/limited/new"), name)
            }
        }
    }

    func testFilesAreStreamed() async throws {
        let (root, folder) = (root, folder)
        let content = SecureRandom.bytes(count: 4 << 20)
        try serve(content)
        try await withEach([
            "httpd": { try .httpd(root, in: folder) },
            "nginx": { try .nginx(root, in: folder) },
        ]) { name, server in
            let (count, digest) = try await session(server.url).withResponse(to: .file) { _, body in
                var (count, hash) = (0, SHA256())
                for try await piece in body {
                    count += 1
                    hash.update(data: piece)
                }
                return (count, hash.finalize())
            }
            // A piece has at most 1 MiB.
            XCTAssertGreaterThanOrEqual(count, 4, name)
            XCTAssertEqual(digest, SHA256.hash(data: content), name)
        }
    }

    /// The server sends the second piece when the first one has been passed on.
    func testPiecesArePassedOnWhileTheyArrive() async throws {
        let (root, folder) = (root, folder)
        let go = root + "/go"
        let program = """
            echo 'first';
            flush();
            while (!file_exists('\(go)')) { usleep(1000); clearstatcache(); }
            echo 'second';
            """
        try await withEach([
            "php": { try .php(root, in: folder, program) },
            "aiohttp": { try .python("aiohttp", root) },
            "starlette": { try .python("starlette", root) },
        ]) { name, server in
            let text = try await session(server.url).withResponse(to: Endpoint<[UInt8]>.get("/pieces")) {
                head,
                body in
                XCTAssertNil(head.headerFields[.contentLength], name)
                var text = ""
                for try await piece in body {
                    text += String(decoding: piece, as: UTF8.self)
                    if text == "first" { try Data().write(to: URL(fileURLWithPath: go)) }
                }
                return text
            }
            XCTAssertEqual(text, "firstsecond", name)
            try FileManager.default.removeItem(atPath: go)
        }
    }
}
