// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Signed requests of sessions, verified as they reach the servers.
final class RequestSigningTests: SessionTestCase {
    private static let there = "http://127.0.0.1:2"
    private static let elsewhere = "http://127.0.0.1:4"

    private func signed(
        _ change: (inout LoginSession.Configuration) throws -> Void = { _ in }
    ) async throws -> (session: LoginSession, log: SignatureLog) {
        let log = SignatureLog(transport: server.transport)
        let signer = try RequestSigner.httpMessageSignature(SignatureLog.key(), keyID: "k1")
        let origins = Set([try Origin("http://127.0.0.1:1"), try Origin(Self.there)])
        var configuration = LoginSession.Configuration()
        try change(&configuration)
        let session = try session(transport: log) {
            $0.signer = signer
            $0.credentialOrigins = origins
            $0.interceptors = configuration.interceptors
            $0.headers = configuration.headers
            $0.cache = configuration.cache
        }
        try await session.logIn(username: "alice", password: "zhang")
        return (session, log)
    }

    /// Renewal, redirects within the origins, and repeats: each request has a valid signature with a nonce of its own.
    func testEveryRequestIsSignedAnew() async throws {
        let (session, log) = try await signed()
        server.script("/data") { request in
            request.head.authority == "127.0.0.1:1" ? .redirect(to: "\(Self.there)/data/next?a=1") : nil
        }
        _ = try await session.send(.data)
        server.expire()
        _ = try await session.send(.data)
        let entries = log.entries("/data") + log.entries("/data/next")
        XCTAssertEqual(entries.count, 6, "two attempts of the second, each with a redirect")
        XCTAssertEqual(Set(entries.compactMap(\.nonce)).count, 6)
        XCTAssertEqual(log.entries("/data/next").map(\.authority), Array(repeating: "127.0.0.1:2", count: 3))
        XCTAssertEqual(
            entries.map(\.components),
            Array(repeating: ["@method", "@authority", "@path", "@query"], count: 6)
        )
        try await session.logOut()
        // A digest of a login's body would be in a header.
        for path in ["/hmackey.php", "/loginhmac.php", "/logout.php"] {
            XCTAssertFalse(log.entries(path).isEmpty, path)
            XCTAssertEqual(log.entries(path).filter(\.isSigned).count, 0, path)
        }
    }

    func testRedirectOutOfTheOriginsLosesTheSignature() async throws {
        let (session, log) = try await signed()
        server.script("/data") { _ in .redirect(to: "\(Self.elsewhere)/steal") }
        server.script("/steal") { _ in .redirect(to: "http://127.0.0.1:1/back") }
        server.script("/back") { _ in .json(#"{"user": "x"}"#) }
        _ = try await session.send(.data)
        XCTAssertEqual(log.entries("/data").compactMap(\.nonce).count, 1)
        XCTAssertEqual(log.entries("/steal").map(\.isSigned), [false])
        // The other server has chosen this URL.
        XCTAssertEqual(log.entries("/back").map(\.isSigned), [false])
        _ = try await session.send(Endpoint<WhoAmI>.get("/back").setting(\.server, to: Self.elsewhere))
        XCTAssertEqual(log.entries("/back").map(\.isSigned), [false, false])
        _ = try await session.send(Endpoint<WhoAmI>.get("/back").setting(\.server, to: Self.there))
        XCTAssertEqual(log.entries("/back").last?.nonce?.isEmpty, false)
    }

    func testBodiesAreDigested() async throws {
        let (session, log) = try await signed()
        let file = folder + "/file"
        let content = SecureRandom.bytes(count: 1_500_000)
        try Data(content).write(to: URL(fileURLWithPath: file))
        let bodies: [(RequestPayload, [UInt8])] = [
            (.bytes([1, 2, 3]), [1, 2, 3]), (.bytes([]), []), (.form(["a": "1"]), Array("a=1".utf8)),
            (.file(file), content),
        ]
        for (payload, bytes) in bodies {
            // A digest of another body is replaced.
            let endpoint = Endpoint<WhoAmI>(.put, "/data", payload: payload)
                .setting(\.headers, to: [try XCTUnwrap(HTTPField.Name("Content-Digest")): "sha-256=:AAAA:"])
            let reports = Lock<[ByteProgress]>([])
            _ = try await session.send(endpoint) { report in reports.withLock { $0.append(report) } }
            let entry = try XCTUnwrap(log.entries("/data").last)
            XCTAssertNotNil(entry.nonce)
            XCTAssertEqual(entry.components.last, "content-digest")
            XCTAssertEqual(entry.body, bytes)
            // Reading for the digest is no attempt to send.
            XCTAssertTrue(reports.withLock { $0.allSatisfy { $0.attempt == 1 } })
        }
        // After a renewal, the file is read again.
        server.expire()
        _ = try await session.send(Endpoint<WhoAmI>(.put, "/data", payload: .file(file)))
        XCTAssertEqual(log.entries("/data").suffix(2).map(\.body), [content, content])
        XCTAssertEqual(Set(log.entries("/data").compactMap(\.nonce)).count, bodies.count + 2)
    }

    func testStreamIsRefused() async throws {
        let (session, log) = try await signed()
        let stream = HTTPRequestBody(streaming: HTTPResponseBody([1]), byteCount: 1)
        let endpoint = Endpoint<WhoAmI>(.put, "/data", payload: .body(stream))
        let error = await failure { _ = try await session.send(endpoint) }
        XCTAssertEqual(error, .invalidRequest)
        XCTAssertTrue(error?.message.contains("stream") == true, "\(String(describing: error))")
        XCTAssertEqual(log.entries("/data").count, 0)
        _ = try await session.send(endpoint.setting(\.signer, to: .unsigned))
        XCTAssertEqual(log.entries("/data").map(\.isSigned), [false])
    }

    func testHeadersAndCookiesCanBeCovered() async throws {
        let (session, log) = try await signed()
        let signer = try RequestSigner.httpMessageSignature(
            SignatureLog.key(),
            keyID: "k1",
            covering: [
                .method, .authority, .path, .query, .field("cookie"), .field("x-trace"), .contentDigest,
            ],
            tag: "test",
            lifetime: .seconds(60)
        )
        let endpoint = Endpoint.data.setting(\.signer, to: signer)
        let trace = try XCTUnwrap(HTTPField.Name("X-Trace"))
        // Each covered header must be there, and printable ASCII.
        for headers in [[:], [trace: "ä"]] as [HTTPFields] {
            let error = await failure { _ = try await session.send(endpoint.setting(\.headers, to: headers)) }
            XCTAssertEqual(error, .invalidRequest)
            XCTAssertTrue(error?.message.contains("x-trace") == true, "\(String(describing: error))")
        }
        XCTAssertEqual(log.entries("/data").count, 0)
        _ = try await session.send(endpoint.setting(\.headers, to: [trace: "1"]))
        let entry = try XCTUnwrap(log.entries("/data").last)
        XCTAssertNotNil(entry.nonce)
        XCTAssertEqual(entry.components.suffix(2), ["cookie", "x-trace"])
    }

    /// A stage of the program is inside of everything but the signature.
    private struct TwiceWithTrace: RequestInterceptor {
        func intercept(
            _ request: HTTPRequest,
            body: HTTPRequestBody?,
            next: RequestChain
        ) async throws -> TransportResponse {
            var request = request
            request.headerFields[.userAgent] = "trace"
            _ = try await next(request, body: body)
            return try await next(request, body: body)
        }
    }

    func testStagesOfTheProgramAreSigned() async throws {
        let (session, log) = try await signed { $0.interceptors.transport = [TwiceWithTrace()] }
        let signer = try RequestSigner.httpMessageSignature(
            SignatureLog.key(),
            keyID: "k1",
            covering: [.method, .authority, .path, .query, .field("User-Agent")]
        )
        _ = try await session.send(.data.setting(\.signer, to: signer))
        let entries = log.entries("/data")
        XCTAssertEqual(Set(entries.compactMap(\.nonce)).count, 2)
        XCTAssertEqual(entries.map { $0.head.headerFields[.userAgent] }, ["trace", "trace"])
    }

    func testSignersAreKeptApart() async throws {
        let (session, log) = try await signed {
            $0.cache = .standard
            $0.cache?.folder = self.folder + "/cache"
        }
        let gate = Gate()
        server.script("/data") { request in
            await gate.pass()
            return .json(#"{"user": "alice"}"#).addingHeader("Cache-Control", "max-age=60")
        }
        let other = try RequestSigner.httpMessageSignature(SignatureLog.key(), keyID: "k2")
        let endpoint = Endpoint.data.setting(\.duplicates, to: .share)
        let signers = [nil, other, .unsigned]
        await withTaskGroup(of: Void.self) { group in
            for signer in signers + signers {
                group.addTask { _ = try? await session.send(endpoint.setting(\.signer, to: signer)) }
            }
            await gate.hasCome(3)
            gate.open()
        }
        XCTAssertEqual(log.entries("/data").count, 3)
        for signer in signers {
            let response = try await session.send(endpoint.setting(\.signer, to: signer))
            XCTAssertEqual(response.cacheUse, .stored)
        }
        XCTAssertEqual(log.entries("/data").count, 3)
    }

    func testDescriptionsContainNoKey() throws {
        let signer = try RequestSigner.httpMessageSignature(SignatureLog.key(), keyID: "k1")
        let legacy = RequestSigner.sortedParameters(
            try Legacy.SortedParameterSignature(secret: "hidden", format: .taobao)
        )
        for signer in [signer, legacy, .unsigned] {
            var dumped = ""
            dump(signer, to: &dumped)
            for text in ["\(signer)", String(reflecting: signer), dumped] {
                XCTAssertFalse(text.contains("hidden") || text.contains("1, 2, 3"), text)
            }
        }
    }
}
