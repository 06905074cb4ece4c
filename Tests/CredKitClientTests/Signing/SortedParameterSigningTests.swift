// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Signed parameters of requests, as they reach the server.
final class SortedParameterSigningTests: SessionTestCase {
    private typealias Endpoint = CredKitClient.Endpoint<[UInt8]>

    private let seen = Lock<[ScriptedTransport.Request]>([])

    private static func top() throws -> Legacy.SortedParameterSignature {
        try Legacy.SortedParameterSignature(secret: "helloworld", format: .taobao)
    }

    private func signed(_ signer: RequestSigner) async throws -> LoginSession {
        let session = try await loggedIn { $0.signer = signer }
        for path in ["/router", "/next"] {
            server.script(path) { [seen] request in
                seen.withLock { $0.append(request) }
                return .json("{}")
            }
        }
        return session
    }

    private func last() throws -> ScriptedTransport.Request { try XCTUnwrap(seen.withLock { $0.last }) }

    /// The parameters of a query or a form, decoded by Foundation.
    private func parameters(_ text: String) -> [(key: String, value: String)] {
        var components = URLComponents()
        components.percentEncodedQuery = text.replacingOccurrences(of: "+", with: "%20")
        return (components.queryItems ?? []).map { (key: $0.name, value: $0.value ?? "") }
    }

    /// The published example of Taobao's open platform.
    private static let example: KeyValuePairs = [
        "method": "taobao.item.seller.get", "app_key": "12345678", "session": "test",
        "timestamp": "2016-01-01 12:00:00", "format": "json", "v": "2.0", "sign_method": "md5",
        "fields": "num_iid,title,nick,price,num", "num_iid": "11223344",
    ]

    func testPublishedExampleIsSignedInQueryAndForm() async throws {
        let session = try await signed(.sortedParameters(Self.top()))
        _ = try await session.send(Endpoint.get("/router", query: Self.example))
        let query = try XCTUnwrap(last().head.path?.split(separator: "?").last)
        XCTAssertTrue(query.hasSuffix("&sign=66987CB115214E59E6EC978214934FB8"), "\(query)")

        _ = try await session.send(Endpoint(.post, "/router", payload: .form(Self.example)))
        XCTAssertTrue(try last().text.hasSuffix("&sign=66987CB115214E59E6EC978214934FB8"))
        XCTAssertEqual(try last().head.path, "/router")

        // Those of the query are signed with the form's.
        let half = Array(Self.example)
        let endpoint = Endpoint(.post, "/router", payload: .form(Array(half[..<4])))
            .setting(\.query, to: half[4...].map { ($0.key, $0.value) })
        _ = try await session.send(endpoint)
        XCTAssertTrue(try last().text.hasSuffix("&sign=66987CB115214E59E6EC978214934FB8"))
    }

    func testParametersAreAddedEachTime() async throws {
        let count = Lock(0)
        let top = try Self.top()
        let session = try await signed(
            .sortedParameters(top, identity: "") {
                [("timestamp", "2016-01-01 12:00:0\(count.withLock { $0 += 1; return $0 })"), ("v", "2.0")]
            }
        )
        server.script("/router") { [seen] request in
            seen.withLock { $0.append(request) }
            // A server that repeats the parameters, with the signature, in the target.
            return .redirect(to: "/next?" + (request.head.path?.split(separator: "?").last ?? ""))
        }
        for query in [["b": "käse & wein=1", "v": "old"], ["a": ""], [:]] as [KeyValuePairs<String, String>] {
            _ = try await session.send(Endpoint.get("/router", query: query))
            let pairs = seen.withLock { $0.suffix(2) }.map {
                parameters(String($0.head.path?.split(separator: "?").last ?? ""))
            }
            for pairs in pairs {
                XCTAssertNotNil(top.verified(pairs))
                XCTAssertEqual(
                    pairs.filter { ["sign", "timestamp", "v"].contains($0.key) }.count,
                    3,
                    "\(pairs)"
                )
            }
            XCTAssertNotEqual(
                pairs[0].first { $0.key == "timestamp" }?.value,
                pairs[1].first { $0.key == "timestamp" }?.value
            )
        }
    }

    func testSpellingOfParametersIsKept() async throws {
        let top = try Self.top()
        let session = try await signed(.sortedParameters(top))
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:1",
            path: "/router?a=%7e+%2B&&b&sign=old&c=%e4%b8%ad"
        )
        _ = try await session.send(request)
        let path = try XCTUnwrap(last().head.path)
        XCTAssertTrue(path.hasPrefix("/router?a=%7e+%2B&b&c=%e4%b8%ad&sign="), path)
        XCTAssertEqual(
            parameters(String(path.dropFirst(8))).last?.value,
            try top.signature(of: [(key: "a", value: "~ +"), (key: "b", value: ""), (key: "c", value: "中")])
        )
    }

    /// An accent behind an ampersand does not hide the border of a parameter, which the server sees.
    func testParametersAreSplitByBytes() async throws {
        let top = try Self.top()
        let session = try await signed(.sortedParameters(top))
        let form = RequestPayload.bytes(
            Array("a=1&\u{301}b=2".utf8),
            contentType: "application/x-www-form-urlencoded"
        )
        _ = try await session.send(Endpoint(.post, "/router", payload: form))
        let expected = try top.signature(of: [(key: "a", value: "1"), (key: "\u{301}b", value: "2")])
        let text = try last().text
        XCTAssertTrue(text.hasSuffix("&sign=\(expected)"), text)
    }

    func testWhatCannotBeSignedIsRefused() async throws {
        let session = try await signed(.sortedParameters(Self.top()))
        let file = folder + "/file"
        try Data("a=1".utf8).write(to: URL(fileURLWithPath: file))
        for payload in [
            .json(["a": 1]), .bytes([1, 2]), .file(file, contentType: "application/x-www-form-urlencoded"),
            .bytes([0x61, 0x3D, 0xFF], contentType: "application/x-www-form-urlencoded"),
            .form(["a": "1", "a": "2"]),
        ] as [RequestPayload] {
            let error = await failure {
                _ = try await session.send(Endpoint(.post, "/router", payload: payload))
            }
            XCTAssertEqual(error, .invalidRequest)
        }
        for target in ["/router?a=%FF", "/router?a=1&a=2", "/router?%61=1&a=2"] {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: target)
            let error = await failure { _ = try await session.send(request) }
            XCTAssertEqual(error, .invalidRequest, target)
        }
        XCTAssertEqual(seen.withLock { $0.count }, 0)
        _ = try await session.send(Endpoint(.post, "/router"))
        XCTAssertTrue(try last().head.path?.hasPrefix("/router?sign=") == true)
    }
}
