// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Signatures together with pages, the cache, downloads and cookies.
final class SigningStagesTests: SessionTestCase {
    private struct Item: Decodable, Sendable { let id: Int }

    private func signed(
        _ signer: RequestSigner? = nil,
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) async throws -> (session: LoginSession, log: SignatureLog) {
        let log = SignatureLog(transport: server.transport)
        let session = try session(transport: log) {
            $0.signer = signer
            change(&$0)
        }
        try await session.logIn(username: "alice", password: "zhang")
        return (session, log)
    }

    private func signer(_ keyID: String = "k1", _ secret: [UInt8] = SignatureLog.secret) throws
        -> RequestSigner
    {
        try .httpMessageSignature(.hmacSHA256(secret), keyID: keyID)
    }

    func testEveryPageIsSignedByItsEndpoint() async throws {
        let (session, log) = try await signed()
        server.script("/list") { request in
            switch request.head.path?.last {
            case "1": .json(#"[{"id": 1}, {"id": 2}]"#)
            case "2": .json(#"[{"id": 3}, {"id": 4}]"#)
            default: .json("[]")
            }
        }
        let list = PagedEndpoint<Item>(
            .get("/list").setting(\.signer, to: try signer()),
            paging: .pageNumber("page")
        )
        var count = 0
        for try await _ in session.elements(of: list) { count += 1 }
        XCTAssertEqual(count, 4)
        XCTAssertEqual(Set(log.entries("/list").compactMap(\.nonce)).count, 3)
    }

    func testStoredResponsesAreApartBySignerAndCanBeRemoved() async throws {
        let (session, log) = try await signed(signer()) {
            $0.cache = .standard
            $0.cache?.folder = self.folder + "/cache"
        }
        server.script("/data") { _ in
            .json(#"{"user": "alice"}"#).addingHeader("Cache-Control", "max-age=60")
        }
        let top = try Legacy.SortedParameterSignature(secret: "helloworld", format: .taobao)
        let signers: [RequestSigner?] = [
            nil, .unsigned, try signer("k2"), try signer("k1", Array(2...33)), .sortedParameters(top),
            .sortedParameters(top, identity: "a") { [(key: "session", value: "a")] },
            .sortedParameters(top, identity: "b") { [(key: "session", value: "b")] },
        ]
        for round in 1...2 {
            for signer in signers { _ = try await session.send(.data.setting(\.signer, to: signer)) }
            XCTAssertEqual(log.entries("/data").count, signers.count, "\(round)")
        }
        // The session's own and unsigned ones, and those of the endpoint's signer.
        try await session.removeCached(.data.setting(\.signer, to: signers[2]))
        for signer in signers { _ = try await session.send(.data.setting(\.signer, to: signer)) }
        XCTAssertEqual(log.entries("/data").count, signers.count + 3)
        // An unsafe request changes what all of them have read.
        server.script("/data") { request in
            request.head.method == .get
                ? .json(#"{"user": "bob"}"#).addingHeader("Cache-Control", "max-age=60") : .json("{}")
        }
        _ = try await session.send(Endpoint<[UInt8]>(.post, "/data").setting(\.signer, to: signers[2]))
        for signer in signers[..<3] {
            let user = try await session.value(of: .data.setting(\.signer, to: signer)).user
            XCTAssertEqual(user, "bob")
        }
    }

    func testRefreshInTheBackgroundIsSigned() async throws {
        let time = Lock(Self.morning)
        let (session, log) = try await signed(signer()) {
            $0.cache = .standard
            $0.cache?.folder = self.folder + "/cache"
            $0.now = { time.withLock { $0 } }
        }
        server.script("/data") { _ in
            .json(#"{"user": "alice"}"#).addingHeader("Cache-Control", "max-age=1, stale-while-revalidate=60")
        }
        _ = try await session.send(.data)
        time.withLock { $0 = $0 + .seconds(2) }
        let response = try await session.send(.data)
        XCTAssertEqual(response.cacheUse, .stale)
        await eventually { log.entries("/data").count == 2 }
        XCTAssertEqual(Set(log.entries("/data").compactMap(\.nonce)).count, 2)
    }

    func testDownloadsAndStreamsAreSigned() async throws {
        let (session, log) = try await signed(signer())
        server.script("/file") { _ in .response(.ok, body: HTTPResponseBody(Array("content".utf8))) }
        _ = try await session.download(.get("/file"), to: folder + "/file")
        let text = try await session.withResponse(to: Endpoint<[UInt8]>.get("/file")) { _, body in
            var bytes: [UInt8] = []
            for try await piece in body { bytes += piece }
            return String(decoding: bytes, as: UTF8.self)
        }
        XCTAssertEqual(text, "content")
        XCTAssertEqual(Set(log.entries("/file").compactMap(\.nonce)).count, 2)
    }

    /// Several fields of cookies are sent as one line.
    func testCookiesAreCoveredAsTheyAreSent() async throws {
        let log = SignatureLog(transport: server.transport)
        let session = try session(hasKeychain: false, transport: log) {
            $0.signer = try? .httpMessageSignature(
                SignatureLog.key(),
                keyID: "k1",
                covering: [.method, .authority, .path, .query, .field("cookie")]
            )
        }
        server.script("/data") { _ in .json(#"{"user": "alice"}"#) }
        _ = try await session.send(.data.setting(\.headers, to: [.cookie: "a=1; b=2"]))
        let head = try XCTUnwrap(log.entries("/data").last?.head)
        var sent = head
        sent.headerFields = [:]
        for field in head.headerFields where field.name != .cookie { sent.headerFields.append(field) }
        let fields = sent.headerFields.map { MessageSignature.Field($0.name.canonicalName, $0.value) }
        let message = MessageSignature.Request(
            method: "GET",
            scheme: "http",
            authority: head.authority ?? "",
            path: "/data",
            fields: fields + [.init("Cookie", "a=1; b=2")]
        )
        let verifier = try MessageSignature.Verifier(requiring: [.field("cookie")])
        let key = try SignatureLog.key().verificationKey
        guard case .valid = verifier.verify(.request(message), at: Self.morning, key: { _ in key }) else {
            return XCTFail("the signature covers other cookies")
        }
    }

    func testDigestOfNothingIsNotSent() async throws {
        let (session, log) = try await signed(signer())
        let digest = try XCTUnwrap(HTTPField.Name("Content-Digest"))
        _ = try await session.send(
            Endpoint<WhoAmI>.get("/data").setting(\.headers, to: [digest: "sha-256=:AAAA:"])
        )
        XCTAssertEqual(log.entries("/data").last?.head.headerFields[digest], nil)
        XCTAssertNotNil(log.entries("/data").last?.nonce)
    }

    func testSignerOfAnEndpointMustSign() async throws {
        let (session, log) = try await signed()
        let endpoint = Endpoint<WhoAmI>.get("/data").setting(\.server, to: "http://127.0.0.1:4")
        let error = await failure {
            _ = try await session.send(endpoint.setting(\.signer, to: try self.signer()))
        }
        XCTAssertEqual(error, .invalidRequest)
        XCTAssertEqual(log.entries("/data").count, 0)
    }

    /// The time of a signature is that of sending: reading a large file may take longer than the signature is valid.
    func testTimeIsReadAfterTheFile() async throws {
        let file = folder + "/file"
        try Data(count: 3 << 20).write(to: URL(fileURLWithPath: file))
        let request = HTTPRequest(method: .put, scheme: "http", authority: "h", path: "/")
        // A file that has changed cannot be read any more.
        let signed = try await signer().sign(request, try HTTPRequestBody(file: file)) {
            try? FileManager.default.removeItem(atPath: file)
            return Self.morning
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: file))
        XCTAssertTrue(signed.request.headerFields.contains { $0.name.canonicalName == "signature" })
    }
}
