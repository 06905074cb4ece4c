// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Signed requests over connections that the server closes when it has received them.
final class SignedConnectionTests: SessionTestCase {
    private static let id = HTTPField.Name("x-id")!

    /// The server has read the first copy: a second one with the same nonce would be a replay.
    func testRepeatedRequestIsSignedAnew() async throws {
        let peer = try FaultyPeer("faulty_server.py")
        for behaviour in ["close-at-second", "reset-at-second"] {
            let url = try peer.url(of: behaviour, overTLS: false)
            let signer = try RequestSigner.httpMessageSignature(SignatureLog.key(), keyID: "k1")
            let session = try session("\(url.origin)", transport: try peer.transport()) { $0.signer = signer }
            for index in 0..<20 {
                for method in [HTTPRequest.Method.get, .put, .delete] {
                    let endpoint = Endpoint<[UInt8]>(
                        method,
                        "/a",
                        payload: method == .put ? .bytes([1]) : nil
                    )
                    .setting(\.headers, to: [Self.id: "\(behaviour) \(method) \(index)"])
                    .setting(\.duplicates, to: .allow)
                    let body = try await session.send(endpoint).value
                    XCTAssertEqual(body, Array("ok".utf8))
                }
            }
            let seen = try peer.texts("signatures").filter { $0.key.hasPrefix(behaviour) }
            XCTAssertEqual(seen.count, 60)
            XCTAssertTrue(
                seen.values.contains { $0.count > 2 },
                "nothing was repeated: the test proves nothing"
            )
            var nonces: Set<String> = []
            for (id, values) in seen {
                let method = id.split(separator: " ")[1]
                for index in stride(from: 0, to: values.count, by: 2) {
                    var request = HTTPRequest(
                        method: try XCTUnwrap(HTTPRequest.Method("\(method)")),
                        scheme: "http",
                        authority: url.origin.authority,
                        path: "/a"
                    )
                    request.headerFields[try XCTUnwrap(HTTPField.Name("Signature-Input"))] = values[index]
                    request.headerFields[try XCTUnwrap(HTTPField.Name("Signature"))] = values[index + 1]
                    let body: [UInt8]? = method == "PUT" ? [1] : nil
                    if let body {
                        request.headerFields[try XCTUnwrap(HTTPField.Name("Content-Digest"))] =
                            ContentDigest(of: body).fieldValue
                    }
                    let accepted = try XCTUnwrap(SignatureLog.verify(request, body), id)
                    XCTAssertTrue(nonces.insert(try XCTUnwrap(accepted.nonce)).inserted, "\(id): sent twice")
                }
            }
        }
    }

    /// A POST is not repeated, signed or not.
    func testPostIsNotRepeated() async throws {
        let peer = try FaultyPeer("faulty_server.py")
        let url = try peer.url(of: "close-at-second", overTLS: false)
        let signer = try RequestSigner.httpMessageSignature(SignatureLog.key(), keyID: "k1")
        let session = try session("\(url.origin)", transport: try peer.transport()) { $0.signer = signer }
        for index in 0..<20 {
            for method in [HTTPRequest.Method.get, .post] {
                let endpoint = Endpoint<[UInt8]>(method, "/a", payload: method == .post ? .bytes([1]) : nil)
                    .setting(\.headers, to: [Self.id: "\(method) \(index)"])
                _ = try? await session.send(endpoint).value
            }
        }
        let seen = try peer.counts("seen").filter { $0.key.hasPrefix("POST") }
        XCTAssertEqual(seen.count, 20)
        XCTAssertEqual(seen.filter { $0.value != 1 }, [:])
    }
}
