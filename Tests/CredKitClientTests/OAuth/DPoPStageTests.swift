// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Proofs of the key of a login, as scripted servers get them.
final class DPoPStageTests: SessionTestCase {
    private static let profile = LoginProfile.oauth(
        clientID: "desktop",
        tokenPath: "/token",
        revocationPath: "/revoke",
        dpop: .required
    )

    private let token = ScriptedTransport.Answer.json(
        #"{"access_token": "access1", "token_type": "DPoP", "refresh_token": "refresh1"}"#
    )
    private let ok = ScriptedTransport.Answer.json(#"{"user": "test"}"#)
    private let closed = ScriptedTransport.Answer.failure(CurlFailure.closedKeptConnection)

    /// A response that asks for a nonce.
    private func challenge(_ nonce: String?, error: String = "use_dpop_nonce") -> ScriptedTransport.Answer {
        let answer = ScriptedTransport.Answer.json("{}", status: .unauthorized)
            .addingHeader("WWW-Authenticate", "Bearer realm=\"a\", DPoP error=\"\(error)\", algs=\"ES256\"")
        return nonce.map { answer.addingHeader("DPoP-Nonce", $0) } ?? answer
    }

    private func loggedIn(
        _ answers: [ScriptedTransport.Answer],
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) async throws -> (session: LoginSession, transport: ScriptedTransport) {
        let transport = ScriptedTransport([token] + answers)
        let session = try session(profile: Self.profile, transport: transport, change)
        try await session.logIn(username: "test", password: "refresh0")
        return (session, transport)
    }

    private func proofs(_ transport: ScriptedTransport) throws -> [SentProof?] {
        let proofs = try transport.requests.map { try SentProof(of: $0.head) }
        let identifiers = proofs.compactMap { $0?.jti }
        XCTAssertEqual(Set(identifiers).count, identifiers.count, "a proof was sent twice")
        return proofs
    }

    /// The access token and its digest are those of RFC 9449, section 7.1.
    func testClaims() throws {
        let url = try HTTPURL("https://resource.example.org:443/protectedresource?a=b")
        var proof = DPoPProof(method: .get, url: url, time: UnixTime(1_562_262_618))
        XCTAssertEqual(try Base64.urlSafe.unpadded.decode(proof.identifier).count, 16)
        proof.identifier = "e1j3V_bKic8-LAEB"
        XCTAssertEqual(
            proof.claims.text,
            #"{"htm":"GET","htu":"https://resource.example.org/protectedresource","iat":1562262618,"#
                + #""jti":"e1j3V_bKic8-LAEB"}"#
        )
        proof.token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        proof.nonce = "eyJ7S_zG.eyJH0-Z.HX4w-7v"
        XCTAssertEqual(
            proof.claims.text,
            #"{"ath":"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo","htm":"GET","#
                + #""htu":"https://resource.example.org/protectedresource","iat":1562262618,"#
                + #""jti":"e1j3V_bKic8-LAEB","nonce":"eyJ7S_zG.eyJH0-Z.HX4w-7v"}"#
        )
        let key = try DPoPKey()
        let parts = try key.sign(proof.claims).split(separator: ".")
        let header = try Base64.urlSafe.unpadded.decode(parts[0])
        let text = String(decoding: header, as: UTF8.self)
        XCTAssertTrue(text.hasPrefix(#"{"alg":"ES256","jwk":{"crv":"P-256","kty":"EC","x":""#), text)
        XCTAssertTrue(text.hasSuffix(#""},"typ":"dpop+jwt"}"#), text)
        let restored = try XCTUnwrap(DPoPKey(stored: try key.stored()))
        XCTAssertEqual(restored.thumbprint(), key.thumbprint())
        XCTAssertNil(DPoPKey(stored: try SecretBytes("AAAA")))
    }

    func testRequestsOfALogin() async throws {
        let (session, transport) = try await loggedIn([ok, ok])
        _ = try await session.value(of: .data)
        _ = try await session.value(of: .data)
        let proofs = try proofs(transport)
        XCTAssertEqual(proofs.map { $0?.htm }, ["POST", "GET", "GET"])
        XCTAssertEqual(
            proofs.map { $0?.htu },
            ["/token", "/data", "/data"].map { "http://127.0.0.1:1\($0)" }
        )
        XCTAssertEqual(proofs.map { $0?.iat }, Array(repeating: Self.morning.seconds, count: 3))
        let digest = Base64.urlSafe.unpadded.encode(SHA256.hash(data: "access1".utf8))
        XCTAssertEqual(proofs.map { $0?.ath }, [nil, digest, digest])
        XCTAssertEqual(
            transport.requests.map { $0.head.headerFields[.authorization] },
            [nil, "DPoP access1", "DPoP access1"]
        )
        // The revocation needs none.
        try await session.logOut()
        XCTAssertNil(try SentProof(of: try XCTUnwrap(transport.requests.last?.head)))
        XCTAssertFalse(logs.text.contains("access1"))
    }

    func testNoncesAreKeptByRole() async throws {
        let first = token.addingHeader("DPoP-Nonce", "a1")
        let transport = ScriptedTransport([
            first, challenge("r1"), ok.addingHeader("DPoP-Nonce", "r2"),
            challenge("r3", error: "invalid_token"),
            .json(#"{"error": "use_dpop_nonce"}"#, status: .badRequest).addingHeader("DPoP-Nonce", "a2"),
            token, ok.addingHeader("DPoP-Nonce", "\"").addingHeader("X", "y"), ok,
        ])
        let session = try session(profile: Self.profile, transport: transport)
        try await session.logIn(username: "test", password: "refresh0")
        for _ in 0..<3 { _ = try await session.value(of: .data) }
        let proofs = try proofs(transport)
        XCTAssertEqual(
            proofs.map { $0?.nonce },
            [nil, nil, "r1", "r2", "a1", "a2", "r3", "r3"]
        )
        // The same refresh token once more: nothing was used up.
        XCTAssertEqual(transport.requests[4].text, transport.requests[5].text)
    }

    func testOneRetryForAnotherNonce() async throws {
        for (answers, count) in [
            ([challenge("a"), challenge("b"), ok], 2), ([challenge("a"), challenge("a"), ok], 2),
            ([challenge("a").addingHeader("DPoP-Nonce", "b"), ok], 1), ([challenge(nil), ok], 1),
            ([challenge("a b"), ok], 1), ([challenge("\""), ok], 1),
            ([challenge(String(repeating: "a", count: 4097)), ok], 1),
        ] as [([ScriptedTransport.Answer], Int)] {
            let (session, transport) = try await loggedIn(answers)
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, .serverError)
            XCTAssertEqual(try proofs(transport).count, 1 + count)
        }
    }

    /// What the server has just refused is not sent once more, and an answer that is no refusal is the answer.
    func testNothingIsSentAgainWithoutANewNonce() async throws {
        let answered = ok.addingHeader("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\"")
        let ofAnotherScheme = ScriptedTransport.Answer.json("{}", status: .badRequest)
            .addingHeader("WWW-Authenticate", "Bearer error=\"use_dpop_nonce\"").addingHeader(
                "DPoP-Nonce",
                "c"
            )
        let (session, transport) = try await loggedIn([
            ok.addingHeader("DPoP-Nonce", "a"), challenge("a"), answered.addingHeader("DPoP-Nonce", "b"),
            ofAnotherScheme, ok,
        ])
        _ = try await session.value(of: .data)
        let error = await failure { _ = try await session.value(of: .data) }
        XCTAssertEqual(error, .serverError)
        _ = try await session.value(of: .data)
        let other = await failure { _ = try await session.value(of: .data) }
        XCTAssertEqual(other, .unexpectedStatus)
        XCTAssertEqual(try proofs(transport).map { $0?.nonce }, [nil, nil, "a", "a", "b"])
    }

    func testRefusedProofIsNotSentAgain() async throws {
        for (date, expected) in [
            (nil, .serverError), ("Wed, 17 Aug 2016 02:00:09 GMT", .serverError),
            ("Wed, 17 Aug 2016 02:00:10 GMT", .clockSkew), ("Wed, 17 Aug 2016 01:59:30 GMT", .clockSkew),
            ("soon", .serverError),
        ] as [(String?, ClientError)] {
            var answer = challenge("a", error: "invalid_dpop_proof")
            if let date { answer = answer.addingHeader("Date", date) }
            let (session, transport) = try await loggedIn([answer, ok])
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, expected, date ?? "")
            XCTAssertEqual(transport.requests.count, 2)
        }
    }

    /// A body that cannot be sent again is not, but the next request has the nonce.
    func testStreamIsNotSentAgain() async throws {
        let (session, transport) = try await loggedIn([challenge("a"), ok])
        let stream = HTTPRequestBody(streaming: HTTPResponseBody([1, 2, 3]))
        let endpoint = Endpoint<[UInt8]>(.post, "/upload", payload: .body(stream))
        let error = await failure { _ = try await session.send(endpoint) }
        XCTAssertEqual(error, .serverError)
        _ = try await session.value(of: .data)
        XCTAssertEqual(try proofs(transport).map { $0?.nonce }, [nil, nil, "a"])
    }

    /// Each hop has a proof of its own, and none is sent to a foreign origin or to a URL that it has chosen.
    func testRedirects() async throws {
        let (session, transport) = try await loggedIn([
            .redirect(to: "http://127.0.0.1:2/a?b=c").addingHeader("DPoP-Nonce", "one"),
            .redirect(to: "http://127.0.0.1:3/b"),
            .redirect(to: "http://127.0.0.1:1/c"), ok,
        ]) {
            $0.credentialOrigins = [try! Origin("http://127.0.0.1:1"), try! Origin("http://127.0.0.1:2")]
        }
        _ = try await session.value(of: .data)
        let urls = try proofs(transport).map { $0?.htu }
        XCTAssertEqual(try proofs(transport).compactMap { $0?.nonce }, [])
        XCTAssertEqual(
            urls,
            [
                "http://127.0.0.1:1/token", "http://127.0.0.1:1/data", "http://127.0.0.1:2/a", nil, nil,
            ]
        )
        XCTAssertEqual(
            transport.requests.map { $0.head.headerFields[.authorization] != nil },
            [false, true, true, false, false]
        )
    }

    /// A program's own header for another server is not replaced by the token of the session.
    func testHeaderOfTheProgramGoesElsewhereAsItIs() async throws {
        let (session, transport) = try await loggedIn([ok])
        let endpoint = Endpoint<WhoAmI>.data.setting(\.server, to: "http://127.0.0.1:9")
            .setting(\.headers, to: [.authorization: "DPoP mine"])
        _ = try await session.value(of: endpoint)
        XCTAssertEqual(transport.requests.last?.head.headerFields[.authorization], "DPoP mine")
        XCTAssertNil(try proofs(transport).last ?? nil)
    }

    /// A server may have read what it closed a kept connection on: neither the proof nor the signature is sent again.
    func testClosedConnectionsWithASigner() async throws {
        let signer = try RequestSigner.httpMessageSignature(
            SignatureLog.key(),
            keyID: "k1",
            covering: [.method, .authority, .path, .query, .field("authorization"), .field("dpop")]
        )
        for (answers, count, expected) in [
            ([closed, closed, ok], 3, nil), ([closed, closed, closed, ok], 3, .noResponse),
            ([closed, challenge("a"), closed, ok], 4, nil),
        ] as [([ScriptedTransport.Answer], Int, ClientError?)] {
            let transport = ScriptedTransport([token] + answers)
            let log = SignatureLog(transport: transport)
            let session = try session(profile: Self.profile, transport: log) { $0.signer = signer }
            try await session.logIn(username: "test", password: "refresh0")
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, expected)
            XCTAssertEqual(try proofs(transport).count, 1 + count)
            let entries = log.entries.withLock { $0.dropFirst() }
            XCTAssertEqual(Set(entries.compactMap(\.nonce)).count, count, "a signature was sent twice")
            XCTAssertTrue(entries.allSatisfy { $0.components.contains("dpop") })
        }
    }

    /// Three kept connections may be closed one after the other.
    func testRequestIsRepeatedOnANewConnection() async throws {
        let log = OptionsLog(
            transport: ScriptedTransport([token, closed, challenge("a"), closed, ok, ok])
        )
        let session = try session(profile: Self.profile, transport: log)
        try await session.logIn(username: "test", password: "refresh0")
        for _ in 0..<2 { _ = try await session.value(of: .data) }
        let entries = log.entries.withLock { $0 }
        XCTAssertEqual(entries.map(\.needsNewConnection), [false, false, true, true, true, false])
        XCTAssertEqual(entries.map(\.isSentOnce), Array(repeating: true, count: 6))
    }

    /// No token is bound to a key that may be lost.
    func testKeychainThatFailsIsFoundBeforeTheFirstRequest() async throws {
        let store = LockableStore()
        let transport = ScriptedTransport([token, ok])
        let session = try session(
            profile: Self.profile,
            keychain: Keychain(store: store),
            transport: transport
        )
        await store.refuse(true)
        let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
        XCTAssertEqual(error, .keychain)
        XCTAssertEqual(transport.requests.count, 0)
    }

    func testProfilesInJSON() throws {
        for mode in [DPoPMode.preferred, .required] {
            let profile = LoginProfile.oauth(clientID: "a", tokenPath: "/t", dpop: mode)
            XCTAssertEqual(try LoginProfile(json: profile.json()), profile)
            let json =
                #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "dpop": "\#(mode.rawValue)"}"#
            XCTAssertEqual(try LoginProfile(json: json.utf8), profile)
        }
        for bad in [#""always""#, "true", #""""#] {
            let json = #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "dpop": \#(bad)}"#
            XCTAssertThrowsError(try LoginProfile(json: json.utf8)) { error in
                XCTAssertEqual(error as? ClientError, .invalidProfile)
            }
        }
    }
}
