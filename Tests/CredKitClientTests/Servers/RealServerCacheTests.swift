// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// The cache of a session whose server is Apache httpd, nginx, aiohttp or Starlette.
final class RealServerCacheTests: RealServerTestCase {
    private static let httpdMaxAge = #"Header set Cache-Control "max-age=60""#

    private func fetched(_ session: LoginSession, _ policy: CachePolicy = .default) async throws -> (
        text: String, use: CacheUse
    ) {
        try await fetch(session, .file, policy)
    }

    private func servers() -> KeyValuePairs<String, () throws -> RealServer> {
        let (root, folder) = (root, folder)
        return [
            "httpd": { try .httpd(root, in: folder, Self.httpdMaxAge) },
            "nginx": { try .nginx(root, in: folder, "expires 60s;") },
            "aiohttp": { try .python("aiohttp", root) },
            "starlette": { try .python("starlette", root) },
            "php": { try .php(root, in: folder, Self.program(root)) },
        ]
    }

    /// What programs in PHP do for files.
    private static func program(_ root: String) -> String {
        """
        $text = file_get_contents('\(root)/file');
        $tag = '"' . md5($text) . '"';
        header('Cache-Control: private, max-age=60');
        header("ETag: $tag");
        if (($_SERVER['HTTP_IF_NONE_MATCH'] ?? '') === $tag) { http_response_code(304); exit; }
        header('Content-Length: ' . strlen($text));
        echo $text;
        """
    }

    /// Servers that state the time or the version in another way.
    private func variants() -> KeyValuePairs<String, () throws -> RealServer> {
        let (root, folder) = (root, folder)
        return [
            "httpd, Expires": {
                try .httpd(
                    root,
                    in: folder,
                    """
                    ExpiresActive On
                    ExpiresDefault "access plus 60 seconds"
                    Header unset Cache-Control
                    """
                )
            },
            "httpd, no tag": { try .httpd(root, in: folder, Self.httpdMaxAge + "\nFileETag None") },
            "nginx, no tag": { try .nginx(root, in: folder, "expires 60s; etag off;") },
        ]
    }

    func testFreshThenConfirmedThenChanged() async throws {
        for group in [servers(), variants()] { try await assertFreshThenConfirmedThenChanged(group) }
    }

    private func assertFreshThenConfirmedThenChanged(
        _ servers: KeyValuePairs<String, () throws -> RealServer>
    ) async throws {
        try await withEach(servers) { name, server in
            try serve(Array("one".utf8))
            let session = try caching(server)
            let missing = await failure { _ = try await self.fetched(session, .onlyIfCached) }
            XCTAssertEqual(missing, .notCached, name)
            var uses: [CacheUse] = []
            for seconds: Int64 in [0, 50, 70] {
                elapsed.withLock { $0 = seconds }
                let answer = try await fetched(session)
                XCTAssertEqual(answer.text, "one", name)
                uses.append(answer.use)
            }
            XCTAssertEqual(uses, [.network, .stored, .validated], name)
            try serve(Array("two".utf8), age: 1800)
            elapsed.withLock { $0 = 200 }
            let changed = try await fetched(session)
            XCTAssertEqual(changed.text, "two", name)
            XCTAssertEqual(changed.use, .network, name)
            let confirmed = try await fetched(session, .revalidate)
            XCTAssertEqual(confirmed.use, .validated, name)
        }
    }

    func testHeadAndRangeAreAnsweredFromTheStoredFile() async throws {
        try await withEach(servers()) { name, server in
            try serve(Array("0123456789".utf8))
            let session = try caching(server)
            _ = try await fetched(session)
            let range = try await session.send(head(.get, server.url, [.range: "bytes=2-4"]))
            XCTAssertEqual(range.head.status, .partialContent, name)
            XCTAssertEqual(String(decoding: range.body, as: UTF8.self), "234", name)
            XCTAssertEqual(range.head.headerFields[.contentRange], "bytes 2-4/10", name)
            XCTAssertEqual(range.cacheUse, .stored, name)
            let stored = try await session.send(head(.head, server.url))
            XCTAssertEqual(stored.cacheUse, .stored, name)
            XCTAssertEqual(stored.body, [], name)
            // The file is longer now, as a response to HEAD says.
            try serve(Array("0123456789a".utf8), age: 1800)
            let sent = try await session.send(head(.head, server.url), cachePolicy: .revalidate)
            XCTAssertEqual(sent.cacheUse, .network, name)
            let new = try await fetched(session)
            XCTAssertEqual(new.use, .network, name)
            XCTAssertEqual(new.text, "0123456789a", name)
        }
    }

    func testWritingEndsTheStoredFile() async throws {
        let (root, folder) = (root, folder)
        try await withEach([
            "httpd": { try .httpd(root, in: folder, Self.httpdMaxAge) },
            "nginx": { try .nginx(root, in: folder, "expires 60s;") },
        ]) { name, server in
            try serve(Array("one".utf8))
            let session = try caching(server)
            _ = try await fetched(session)
            try await session.send(Endpoint<Void>(.put, "/file", payload: .bytes(Array("two".utf8)))).value
            let written = try await fetched(session)
            XCTAssertEqual(written.text, "two", name)
            XCTAssertEqual(written.use, .network, name)
            try await session.send(Endpoint<Void>(.delete, "/file")).value
            let gone = await failure { _ = try await self.fetched(session) }
            XCTAssertEqual(gone, .unexpectedStatus, name)
        }
    }

    func testStaleFileWhileTheServerIsDown() async throws {
        let (root, folder) = (root, folder)
        let control = "max-age=60, stale-if-error=600"
        try await withEach([
            "httpd": { try .httpd(root, in: folder, "Header set Cache-Control \"\(control)\"") },
            "nginx": { try .nginx(root, in: folder, "add_header Cache-Control \"\(control)\";") },
        ]) { name, server in
            try serve(Array("one".utf8))
            let session = try caching(server)
            _ = try await fetched(session)
            try server.end()
            for (seconds, use): (Int64, CacheUse) in [(0, .stored), (70, .stale), (650, .stale)] {
                elapsed.withLock { $0 = seconds }
                let answer = try await fetched(session)
                XCTAssertEqual(answer.use, use, name)
                XCTAssertEqual(answer.text, "one", name)
            }
            elapsed.withLock { $0 = 670 }
            let error = await failure { _ = try await self.fetched(session) }
            XCTAssertEqual(error, .noConnection, name)
            let only = try await fetched(session, .onlyIfCached)
            XCTAssertEqual(only.use, .stale, name)
        }
    }

    /// Both servers give the compressed file another tag, and neither confirms it: see below.
    func testCompressedFileIsStoredBesideTheOther() async throws {
        let (root, folder) = (root, folder)
        let plain = Array(String(repeating: "text ", count: 2000).utf8)
        var gzip = Endpoint<[UInt8]>.file
        gzip.headers[.acceptEncoding] = "gzip"
        try await withEach([
            // The tag ends with -gzip, and If-None-Match with it is not met: httpd sends the file again.
            "httpd": { try .httpd(root, in: folder, Self.httpdMaxAge + "\nSetOutputFilter DEFLATE") },
            // The tag is weak, but that of the 304 is strong, so that it is not about the stored file (RFC 9111 section
            // 4.3.4). The request is sent again without conditions.
            "nginx": {
                try .nginx(root, in: folder, "expires 60s; gzip on; gzip_types *; gzip_vary on;")
            },
        ]) { name, server in
            try serve(plain)
            let session = try caching(server)
            let compressed = try await session.send(gzip)
            XCTAssertEqual(compressed.head.headerFields[.contentEncoding], "gzip", name)
            XCTAssertLessThan(compressed.value.count, 1000, name)
            let whole = try await session.send(.file)
            XCTAssertNil(whole.head.headerFields[.contentEncoding], name)
            XCTAssertEqual(whole.value, plain, name)
            XCTAssertEqual(whole.cacheUse, .network, name)
            for endpoint in [gzip, .file] {
                let again = try await session.send(endpoint)
                XCTAssertEqual(again.cacheUse, .stored, name)
                XCTAssertEqual(
                    again.value.count,
                    endpoint.headers.isEmpty ? plain.count : compressed.value.count
                )
            }
            for (endpoint, use) in [(gzip, CacheUse.network), (.file, .validated)] {
                let again = try await session.send(endpoint, cachePolicy: .revalidate)
                XCTAssertEqual(again.cacheUse, use, name)
                XCTAssertEqual(
                    again.value.count,
                    endpoint.headers.isEmpty ? plain.count : compressed.value.count
                )
            }
        }
    }
}
