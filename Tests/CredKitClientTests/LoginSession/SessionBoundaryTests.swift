// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import Foundation
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

/// Isolation between users, hosts and files.
final class SessionBoundaryTests: SessionTestCase {
    func testPostRedirectedFromAnotherOriginCarriesNoCredentials() async throws {
        let session = try await loggedIn()
        let cookies = Lock<[String?]>([])
        server.script("/hop") { request in
            .redirect(to: "http://127.0.0.1:1\(request.head.path ?? "")/pay", status: .temporaryRedirect)
        }
        server.script("/hop/pay") { request in
            cookies.withLock { $0.append(request.head.headerFields[.cookie]) }
            return .json("{}")
        }
        // A cookie without `SameSite` counts as Lax and is sent with safe methods only (RFC 6265bis 5.8.3).
        for (method, expected) in [
            (HTTPRequest.Method.post, nil), (.put, nil), (.get, "sid=cookie-secret-1"),
        ] {
            _ = try await session.send(
                HTTPRequest(method: method, scheme: "http", authority: "localhost:1", path: "/hop"),
                body: method == .get ? nil : HTTPRequestBody(Array("sum=100".utf8))
            )
            XCTAssertEqual(cookies.withLock { $0.popLast() }, .some(expected), method.rawValue)
        }
    }

    func testCanonicallyEquivalentNamesAreTwoUsers() async throws {
        // 'é' as one scalar, and as an 'e' with a combining accent: equal in Swift, two names to a server.
        let (first, second) = ("Jos\u{E9}", "Jose\u{301}")
        let session = try session(profile: .form())
        let forms = Lock<[String]>([])
        server.script("/login.php") { request in
            forms.withLock { $0.append(request.text) }
            let name = request.text.contains("%CC%81") ? "second" : "first"
            return ScriptedTransport.Answer.json(#"{"userId": 7}"#).addingHeader("Set-Cookie", "\(name)=1")
        }
        try await session.logIn(username: first, password: "one")
        try await session.logIn(username: second, password: "two")
        XCTAssertEqual(Array(try XCTUnwrap(session.account).utf8), Array(second.utf8))
        XCTAssertEqual(session.cookies.map(\.name), ["second"])
        server.script("/data") { _ in
            forms.withLock { $0.count } == 2 ? .json("{}", status: .unauthorized) : .json(#"{"user": "x"}"#)
        }
        _ = try await session.send(.data)
        XCTAssertEqual(forms.withLock { $0.last }, "username=Jose%CC%81&password=two")
    }

    func testPathDoesNotExtendTheHost() async throws {
        let transport = server.transport
        let session = try session(transport: transport)
        for (authority, path) in [
            ("school.example", ".evil.example/x"), ("school.example", ":8443/x"), ("school.example", ""),
            ("school.example/evil.example", "/x"), ("school.example?", "/x"), ("me@school.example", "/x"),
            ("school.example", "@evil.example/x"),
        ] {
            let request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
            let error = await failure { _ = try await session.send(request) }
            XCTAssertEqual(error, .invalidRequest, "\(authority) \(path)")
        }
        XCTAssertEqual(transport.requests.count, 0)
    }

    func testServerMustBeAmongTheCredentialOrigins() throws {
        let other = try Origin("https://other.example")
        XCTAssertThrowsError(try session { $0.credentialOrigins = [other] }) {
            XCTAssertEqual($0 as? ClientError, .invalidRequest)
        }
        let own = try Origin("http://127.0.0.1:1")
        XCTAssertNoThrow(try session { $0.credentialOrigins = [own, other] })
    }

    /// A token that no header can have would make every later request fail, also in later processes.
    func testTokenWithControlCharactersIsNotKept() async throws {
        let name = try XCTUnwrap(HTTPField.Name("x-auth-token"))
        for text in ["a\u{1B}[31m", "a\u{7F}", "a\u{1}b"] {
            let isLate = Lock(false)
            let transport = ScriptedTransport { request in
                let isLogin = request.head.method == .post
                let token = isLogin == isLate.withLock { $0 } ? "good" : text
                return .response(
                    headers: HTTPFields([HTTPField(name: name, lenientValue: Array(token.utf8))]),
                    body: HTTPResponseBody(Array(#"{"userId": 1, "user": "alice"}"#.utf8))
                )
            }
            let session = try session(profile: .form(), transport: transport)
            let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error, .malformedResponse)
            XCTAssertFalse("\(error as Any)".contains(text))
            XCTAssertNil(session.account)
            isLate.withLock { $0 = true }
            try await session.logIn(username: "alice", password: "zhang")
            for _ in 0..<2 { _ = try await session.value(of: .data) }
            XCTAssertEqual(transport.requests.last?.head.headerFields[name], "good")
            XCTAssertTrue(logs.text.contains("a new token is ignored"))
            XCTAssertFalse(logs.text.contains(text))
        }
    }

    func testOldFileOfAnotherUserIsNotRestored() async throws {
        let session = try await loggedIn()
        let old = try Data(contentsOf: URL(fileURLWithPath: filePath))
        try await session.logIn(username: "bob", password: "li")
        let new = try Data(contentsOf: URL(fileURLWithPath: filePath))
        try old.write(to: URL(fileURLWithPath: filePath))
        let later = try self.session()
        let error = await failure { _ = try await later.restore() }
        XCTAssertEqual(error, .storage)
        XCTAssertNil(later.account)
        try new.write(to: URL(fileURLWithPath: filePath))
        _ = try await later.restore()
        XCTAssertEqual(later.account, "bob")
    }

    func testRenewalWithoutAPasswordPublishesAnEvent() async throws {
        let session = try session()
        try await session.logIn(username: "alice", password: "zhang", savesPassword: false)
        let events = session.events
        server.expire()
        let error = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(error, .reauthenticationRequired)
        try await session.logOut()
        var seen: [LoginEvent] = []
        for await event in events {
            seen.append(event)
            if seen.count == 2 || event == .loggedOut(account: "alice") { break }
        }
        XCTAssertEqual(seen, [.loginFailed(.reauthenticationRequired), .loggedOut(account: "alice")])
    }

    /// The longest representable deadline, used as "never".
    func testLongestDeadlineIsSupported() async throws {
        server.script("/data") { _ in
            ScriptedTransport.Answer.json(#"{"user": "x"}"#).after(.milliseconds(20))
        }
        for total in [Duration.seconds(Int64.max), .seconds(Int64.max / 2), .seconds(1 << 40)] {
            let session = try session { $0.timeouts = Timeouts(total: total) }
            let user = try await session.value(of: .data).user
            XCTAssertEqual(user, "x")
        }
        let never = try session { $0.timeouts = Timeouts(total: .seconds(Int64.min)) }
        let error = await failure { _ = try await never.send(.data) }
        XCTAssertEqual(error, .timedOut)
    }

    func testURLChosenByAnotherOriginGetsNoTokenAndStartsNoLogin() async throws {
        server.state.withLock { $0.sendsToken = true }
        let session = try await loggedIn()
        let seen = Lock<HTTPFields>([:])
        server.script("/bounce") { _ in .redirect(to: "http://127.0.0.1:1/data/target") }
        server.script("/data/target") { request in
            seen.withLock { $0 = request.head.headerFields }
            return .json("{}", status: .unauthorized)
        }
        let answer = try await session.send(
            HTTPRequest(method: .get, scheme: "http", authority: "localhost:1", path: "/bounce")
        )
        XCTAssertEqual(answer.head.status, .unauthorized)
        XCTAssertNil(seen.withLock { $0[HTTPField.Name("x-auth-token")!] })
        XCTAssertEqual(server.loginCount, 1)
    }

    /// Another origin chooses the URL, for instance one with a ticket of its own: the session would go on as its user, and a renewal
    /// would post the password with cookies that it knows.
    func testURLChosenByAnotherOriginSetsNoTokenAndNoCookies() async throws {
        server.state.withLock { $0.sendsToken = true }
        let session = try await loggedIn()
        server.script("/bounce") { _ in .redirect(to: "http://127.0.0.1:1/data/sso?ticket=theirs") }
        server.script("/data/sso") { _ in
            ScriptedTransport.Answer.json("{}").addingHeader("Set-Cookie", "sid=theirs; SameSite=Lax")
                .addingHeader("Set-Cookie", "sid=theirs; SameSite=Strict").addingHeader(
                    "Set-Cookie",
                    "sid=theirs"
                )
                .addingHeader("x-auth-token", "theirs")
        }
        for _ in 0..<2 {
            _ = try await session.send(
                HTTPRequest(method: .get, scheme: "http", authority: "localhost:1", path: "/bounce")
            )
        }
        let seen = Lock<HTTPFields>([:])
        server.script("/data/own") { request in
            seen.withLock { $0 = request.head.headerFields }
            return .json("{}")
        }
        _ = try await session.send(
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: "/data/own")
        )
        let fields = seen.withLock { $0 }
        XCTAssertEqual(fields[.cookie], "sid=cookie-secret-1")
        XCTAssertEqual(fields[HTTPField.Name("x-auth-token")!], "token-secret-cookie-secret-1")
    }

    /// A pin that only the login had would let another server have the next request.
    func testSavedSessionsKeepTheirPinsAndAuthorities() async throws {
        let pin = try PublicKeyPin("sha256//" + String(repeating: "A", count: 43) + "=")
        let other = try PublicKeyPin("sha256//" + String(repeating: "A", count: 42) + "E=")
        _ = try await loggedIn {
            $0.connection.pinnedPublicKeys = [pin]
            $0.connection.trustedCertificates = .file("ca.pem")
        }
        func opened(_ change: (inout ConnectionSettings) -> Void = { _ in }) async throws
            -> ConnectionSettings
        {
            var configuration = LoginSession.Configuration()
            configuration.folder = self.configuration.folder
            change(&configuration.connection)
            let session = try await LoginSession.open(
                named: self.configuration.name ?? "http://127.0.0.1:1",
                in: keychain,
                configuration: configuration,
                transport: server.transport
            )
            let restored = try XCTUnwrap(session)
            restored.saveSoon()
            try await restored.flush()
            return restored.configuration.connection
        }
        let kept = try await opened()
        XCTAssertEqual(kept.pinnedPublicKeys, [pin])
        let folder = FileManager.default.currentDirectoryPath
        XCTAssertEqual(kept.trustedCertificates, .file(folder + "/ca.pem"))
        let replaced = try await opened { $0.pinnedPublicKeys = [other] }
        XCTAssertEqual(replaced.pinnedPublicKeys, [other])
        // Only a login changes what the session trusts.
        let next = try await opened()
        XCTAssertEqual(next, kept)
        _ = try await loggedIn { $0.connection.pinnedPublicKeys = [other] }
        let last = try await opened()
        XCTAssertEqual(last.pinnedPublicKeys, [other])
        XCTAssertEqual(last.trustedCertificates, .system)
    }

    /// A session would send replacement characters back.
    func testCookiesAndTokensThatAreNotUTF8AreIgnored() throws {
        var fields = HTTPFields()
        for value in [Array("a=é".utf8), [0x62, 0x3D, 0xE9]] {
            fields.append(HTTPField(name: .setCookie, lenientValue: value))
        }
        XCTAssertEqual(fields.valuesInUTF8(.setCookie), ["a=é"])
        XCTAssertFalse(fields.areUTF8(.setCookie))
        XCTAssertTrue(fields.areUTF8(.authorization))
    }

    func testTokenIsNotSentToAnotherOriginAfterARedirect() async throws {
        server.state.withLock { $0.sendsToken = true }
        let transport = server.transport
        let session = try session(transport: transport) {
            $0.headers = [.init("x-device")!: "tablet"]
            $0.headers.append(.init(name: .init("x-lang")!, value: "de"))
            $0.headers.append(.init(name: .init("x-lang")!, value: "en"))
        }
        try await session.logIn(username: "alice", password: "zhang")
        transport.clearRequests()
        server.script("/data") { _ in .redirect(to: "http://localhost:1/data/elsewhere") }
        _ = await failure { _ = try await session.send(.data) }
        let fields = transport.requests.map(\.head.headerFields)
        XCTAssertEqual(fields.count, 2)
        XCTAssertEqual(fields[0][.init("x-auth-token")!], "token-secret-cookie-secret-1")
        XCTAssertEqual(fields[0][.cookie], "sid=cookie-secret-1")
        XCTAssertEqual(fields[0][.init("x-device")!], "tablet")
        XCTAssertEqual(fields[0][values: .init("x-lang")!], ["de", "en"])
        XCTAssertEqual(fields[1].map(\.name.canonicalName), ["user-agent"])
    }
}
