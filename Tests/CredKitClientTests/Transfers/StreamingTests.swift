// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Responses that are passed on while they arrive.
final class StreamingTests: SessionTestCase {
    private struct Failure: Error {}

    /// A body in pieces.
    private static func body(_ pieces: [String]) -> HTTPResponseBody {
        HTTPResponseBody {
            var rest = pieces[...]
            return .init { rest.popFirst().map { Array($0.utf8) } }
        }
    }

    private func read(_ body: HTTPResponseBody) async throws -> [String] {
        var pieces: [String] = []
        for try await piece in body { pieces.append(String(decoding: piece, as: UTF8.self)) }
        return pieces
    }

    /// A session whose server says with a code that the login has expired.
    private func session(expiring: Bool = true) async throws -> LoginSession {
        var profile = LoginProfile.timestamped(keyPhrase: "itheima")
        profile.expiry.codes = [7]
        let session = try session(profile: profile) { $0.envelope = .codeData }
        try await session.logIn(username: "alice", password: "zhang")
        return session
    }

    func testPiecesArePassedOn() async throws {
        server.script("/data") { _ in
            .response(body: Self.body(["a", "b", "c"])).addingHeader("Set-Cookie", "x=1")
        }
        let session = try await loggedIn()
        let pieces = try await session.withResponse(to: .data) { head, body in
            XCTAssertNil(head.headerFields[.setCookie])
            return try await self.read(body)
        }
        XCTAssertEqual(pieces, ["a", "b", "c"])
    }

    func testExpiredLoginIsRenewedBeforeTheFunctionIsCalled() async throws {
        let session = try await loggedIn()
        server.expire()
        var calls = 0
        let text = try await session.withResponse(to: .data) { head, body in
            calls += 1
            return try await self.read(body).joined()
        }
        XCTAssertEqual(text, #"{"user": "alice"}"#)
        XCTAssertEqual(calls, 1)
        XCTAssertEqual(server.loginCount, 2)
    }

    func testExpiryInAnEnvelopeIsSeenBeforeTheFirstByte() async throws {
        let session = try await session()
        let tries = Lock(0)
        server.script("/data") { _ in
            let isFirst = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            let text =
                isFirst ? [#"{"code": "#, #"7, "msg": "log in"}"#] : [#"{"code": 0, "#, #""data": 1}"#]
            return .response(
                headers: [.contentType: "application/json; charset=utf-8"],
                body: Self.body(text)
            )
        }
        let text = try await session.withResponse(to: .data) { _, body in try await self.read(body).joined() }
        XCTAssertEqual(text, #"{"code": 0, "data": 1}"#)
        XCTAssertEqual(server.loginCount, 2)
        // A larger one, and one that is no JSON, come as they are.
        let large = String(repeating: "x", count: 40_000)
        for type in ["application/json", "text/event-stream"] {
            server.script("/data") { _ in
                .response(headers: [.contentType: type], body: Self.body([large, large, "end"]))
            }
            let all = try await session.withResponse(to: .data) { _, body in
                try await self.read(body).joined()
            }
            XCTAssertEqual(all, large + large + "end")
        }
        XCTAssertEqual(server.loginCount, 2)
    }

    func testErrorsOfTheFunctionAreWrapped() async throws {
        let session = try await loggedIn()
        let wrapped = await failure { try await session.withResponse(to: .data) { _, _ in throw Failure() } }
        XCTAssertEqual(wrapped, .responseHandler)
        XCTAssertTrue(wrapped?.underlying is Failure)
        let own = await failure {
            try await session.withResponse(to: .data) { _, _ in throw ClientError.overLimit }
        }
        XCTAssertEqual(own, .overLimit)
    }

    func testFunctionStaysOnItsActor() async throws { try await Self.count(try await loggedIn()) }

    @MainActor
    private static func count(_ session: LoginSession) async throws {
        var count = 0
        try await session.withResponse(to: .data) { _, body in
            MainActor.assertIsolated()
            for try await piece in body { count += piece.count }
        }
        XCTAssertGreaterThan(count, 0)
    }

    func testBodyMayTakeLongerThanTheTotalTimeout() async throws {
        let gate = Gate()
        let session = try await loggedIn { $0.timeouts.total = .milliseconds(300) }
        server.script("/data") { _ in
            .response(
                body: HTTPResponseBody {
                    var count = 0
                    return .init {
                        count += 1
                        if count == 2 { await gate.pass() }
                        return count < 3 ? [UInt8(count)] : nil
                    }
                }
            )
        }
        let opening = Task {
            await gate.hasCome()
            try? await Task.sleep(for: .milliseconds(400))
            gate.open()
        }
        let bytes = try await session.withResponse(to: .data) { _, body in
            var bytes: [UInt8] = []
            for try await piece in body { bytes += piece }
            return bytes
        }
        await opening.value
        XCTAssertEqual(bytes, [1, 2])
    }

    /// A transport that does not check lengths, as libcurl does.
    func testDownloadHasItsDeclaredSize() async throws {
        let session = try await loggedIn()
        let path = folder + "/target"
        for (length, expected) in [("9", ClientError.noResponse), ("7", .malformedResponse), ("8", nil)] {
            server.script("/data") { _ in
                .response(headers: [.contentLength: length], body: Self.body(["the ", "file"]))
            }
            let error = await failure { try await session.download(.data, to: path) }
            XCTAssertEqual(error, expected)
            XCTAssertEqual(FileManager.default.fileExists(atPath: path), expected == nil)
        }
    }

    func testAllDigestsAreCheckedWhileTheFileIsReadOnce() async throws {
        let bytes = (0..<8 << 20).map { UInt8(truncatingIfNeeded: ($0 &* 7) >> 3) }
        let sha256 = Data(SHA256.hash(data: bytes)).base64EncodedString()
        let sha512 = Data(SHA512.hash(data: bytes)).base64EncodedString()
        let name = HTTPField.Name.self
        let (content, whole) = (
            try XCTUnwrap(name.init("Content-Digest")), try XCTUnwrap(name.init("Repr-Digest"))
        )
        let session = try await loggedIn()
        for wrong in [nil, content, whole] {
            var headers = HTTPFields()
            for field in [content, whole] {
                let last = field == wrong ? Data(repeating: 1, count: 64).base64EncodedString() : sha512
                headers[field] = "sha-256=:\(sha256):, sha-512=:\(last):"
            }
            server.script("/data") { [headers] _ in .response(headers: headers, body: HTTPResponseBody(bytes))
            }
            let before = try readByteCount()
            let error = await failure {
                let file = try await session.download(.data, to: self.folder + "/target")
                XCTAssertTrue(file.isDigestVerified)
            }
            let read = try readByteCount() - before
            XCTAssertEqual(error, wrong == nil ? nil : .malformedResponse)
            XCTAssertLessThan(read, 12 << 20)
            XCTAssertGreaterThanOrEqual(read, 8 << 20)
        }
    }

    /// How many bytes this process has read from files so far.
    private func readByteCount() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/io", encoding: .utf8).split(separator: "\n")
        return Int(lines.first { $0.hasPrefix("rchar: ") }?.dropFirst(7) ?? "") ?? 0
    }

    func testPartOfAnotherUserIsNotContinued() async throws {
        let session = try await loggedIn()
        let path = folder + "/target"
        for (user, password, range) in [
            ("alice", "zhang", nil), ("bob", "li", nil), ("bob", "li", "bytes=4-"),
        ] as [(String, String, String?)] {
            try await session.logIn(username: user, password: password)
            let seen = await rangeOfCutDownload(session, to: path)
            XCTAssertEqual(seen, range, user)
        }
    }

    /// The name of a token's login is only a label.
    func testPartOfAnotherTokenIsNotContinued() async throws {
        let session = try session("http://127.0.0.1:1", profile: .bearer(checkPath: nil))
        let path = folder + "/target"
        for (token, range) in [("A", nil), ("A", "bytes=4-"), ("B", nil)] as [(String, String?)] {
            if range == nil { try await session.logIn(username: "me", password: token) }
            let seen = await rangeOfCutDownload(session, to: path)
            XCTAssertEqual(seen, range, token)
        }
    }

    /// Begins a download that ends after four bytes.
    ///
    /// - Returns: The `Range` of its request.
    private func rangeOfCutDownload(_ session: LoginSession, to path: String) async -> String? {
        let seen = Lock<String?>(nil)
        server.script("/data") { request in
            seen.withLock { $0 = request.head.headerFields[.range] }
            return .response(
                headers: [.eTag: "\"same\"", .contentLength: "8"],
                body: HTTPResponseBody {
                    var count = 0
                    return .init { () async throws(ClientError) in
                        count += 1
                        guard count == 1 else { throw .noResponse }
                        return Array("the ".utf8)
                    }
                }
            )
        }
        let error = await failure { try await session.download(.data, to: path, options: .resume) }
        XCTAssertEqual(error, .noResponse)
        return seen.withLock { $0 }
    }

    func testPartOfAnotherUserIsLeftAlone() async throws {
        let session = try await loggedIn()
        let path = folder + "/target"
        server.script("/data") { request in
            let isRest = request.head.headerFields[.range] == "bytes=4-"
            return .response(
                isRest ? .partialContent : .ok,
                headers: isRest
                    ? [.eTag: "\"same\"", .contentRange: "bytes 4-7/8"]
                    : [.eTag: "\"same\"", .contentLength: "8"],
                body: isRest
                    ? HTTPResponseBody(Array("file".utf8))
                    : HTTPResponseBody {
                        var count = 0
                        return .init { () async throws(ClientError) in
                            count += 1
                            guard count == 1 else { throw .noResponse }
                            return Array("the ".utf8)
                        }
                    }
            )
        }
        let cut = await failure { try await session.download(.data, to: path, options: .resume) }
        XCTAssertEqual(cut, .noResponse)
        let script = server.state.withLock { $0.scripts["/data"] }
        try await session.logIn(username: "bob", password: "li")
        server.script("/data") { _ in .response(.notFound) }
        let missing = await failure { try await session.download(.data, to: path, options: .resume) }
        XCTAssertEqual(missing?.statusCode, 404)
        try await session.logIn(username: "alice", password: "zhang")
        server.script("/data", script)
        let file = try await session.download(.data, to: path, options: .resume)
        XCTAssertEqual(file.resumedByteCount, 4)
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "the file")
    }

    // Many servers send JSON as another type.
    func testExpiredEnvelopeOfAnyTypeIsNotWritten() async throws {
        for type in ["text/html; charset=utf-8", "text/plain", "application/octet-stream", nil] {
            let session = try await session()
            let tries = Lock(0)
            server.script("/data") { _ in
                let isFirst = tries.withLock { tries in
                    tries += 1
                    return tries == 1
                }
                var headers = HTTPFields()
                headers[.contentType] = type
                let text = isFirst ? #" {"code": 7, "msg": "log in"}"# : "{ a file, no envelope"
                return .response(headers: headers, body: Self.body([text]))
            }
            let path = folder + "/target"
            _ = try await session.download(.data, to: path)
            XCTAssertEqual(
                try String(contentsOfFile: path, encoding: .utf8),
                "{ a file, no envelope",
                type ?? ""
            )
        }
    }

    func testDownloadOfAnExpiredEnvelopeIsRepeated() async throws {
        let session = try await session()
        let path = folder + "/target"
        let tries = Lock(0)
        server.script("/data") { _ in
            let count = tries.withLock { tries in
                tries += 1
                return tries
            }
            return count == 1
                ? .json(#"{"code": 7, "msg": "log in"}"#)
                : .response(body: Self.body(["the ", "file"]))
        }
        let file = try await session.download(.data, to: path, options: .resume)
        XCTAssertEqual(file.byteCount, 8)
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "the file")
        server.script("/data") { _ in .json(#"{"code": 7, "msg": "log in"}"#) }
        for isLoggedIn in [true, false] {
            if !isLoggedIn { try await session.logOut() }
            let error = await failure { try await session.download(.data, to: path) }
            XCTAssertEqual(error, isLoggedIn ? .sessionExpired : .reauthenticationRequired)
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "the file")
        }
    }
}
