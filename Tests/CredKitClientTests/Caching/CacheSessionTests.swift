// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// The cache of a session: what it answers, and what it must not.
final class CacheSessionTests: CacheTestCase {
    func testFreshResponseIsAnsweredFromTheCache() async throws {
        let session = try await loggedInWithCache()
        serve()
        let first = try await fetch(session)
        let second = try await fetch(session)
        XCTAssertEqual([first.text, second.text], ["page of alice", "page of alice"])
        XCTAssertEqual([first.use, second.use], [.network, .stored])
        XCTAssertEqual(server.dataTries, 1)
        elapsed.withLock { $0 = 61 }
        let third = try await fetch(session)
        XCTAssertEqual(third.use, .network)
        XCTAssertEqual(server.dataTries, 2)
    }

    func testWithoutACacheEverythingIsSent() async throws {
        let session = try await loggedIn()
        serve()
        for _ in 0..<2 { _ = try await fetch(session) }
        XCTAssertEqual(server.dataTries, 2)
    }

    func testPoliciesOfACall() async throws {
        let session = try await loggedInWithCache()
        serve("/data/page", ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        let missing = await failure { _ = try await fetch(session, Self.page(), .onlyIfCached) }
        XCTAssertEqual(missing, .notCached)
        XCTAssertEqual(server.dataTries, 0)
        for (policy, use, tries) in [
            (CachePolicy.noStore, CacheUse.network, 1), (.default, .network, 2), (.default, .stored, 2),
            (.onlyIfCached, .stored, 2), (.revalidate, .validated, 3), (.reload, .network, 4),
            (.default, .stored, 4), (.noStore, .network, 5),
        ] {
            let answer = try await fetch(session, Self.page(), policy)
            XCTAssertEqual(answer.use, use, "\(policy)")
            XCTAssertEqual(answer.text, "page of alice")
            XCTAssertEqual(server.dataTries, tries, "\(policy)")
        }
        elapsed.withLock { $0 = 1000 }
        let stale = try await fetch(session, Self.page(), .onlyIfCached)
        XCTAssertEqual(stale.use, .stale)
    }

    func testCookiesAndTokensOfAValidationReachTheSession() async throws {
        let session = try await loggedInWithCache()
        serve("/data/page", ["Cache-Control": "no-cache", "ETag": "\"1\"", "Set-Cookie": "extra=1"])
        _ = try await fetch(session)
        XCTAssertEqual(session.cookies.map(\.name).sorted(), ["extra", "sid"])
        serve("/data/page", ["Cache-Control": "no-cache", "ETag": "\"1\"", "Set-Cookie": "later=1"])
        let answer = try await fetch(session)
        XCTAssertEqual(answer.use, .validated)
        XCTAssertEqual(session.cookies.map(\.name).sorted(), ["extra", "later", "sid"])
        // A stored response has neither.
        serve("/data/page", ["Cache-Control": "max-age=60", "Set-Cookie": "stored=1"])
        _ = try await fetch(session, Self.page(), .reload)
        let stored = try await session.send(Self.page())
        XCTAssertEqual(stored.cacheUse, .stored)
        XCTAssertNil(stored.head.headerFields[.setCookie])
    }

    func testExpiredLoginIsNeverStored() async throws {
        var profile = LoginProfile.timestamped(keyPhrase: "itheima")
        profile.expiry.codes = [40]
        profile.expiry.loginPages = ["/sign-in"]
        let session = try session(profile: profile) {
            $0.cache = .standard
            $0.envelope = .codeData
        }
        try await session.logIn(username: "alice", password: "zhang")
        let isExpired = Lock(true)
        for expired in [
            ScriptedTransport.Answer.json(#"{"code": 40, "msg": "", "data": null}"#),
            .json("{}", status: .unauthorized), .redirect(to: "/sign-in"),
        ] {
            isExpired.withLock { $0 = true }
            server.script("/data") { _ in
                let answer =
                    isExpired.withLock({ isExpired in
                        defer { isExpired = false }
                        return isExpired
                    }) ? expired : .json(#"{"code": 0, "msg": "", "data": {"user": "alice"}}"#)
                return answer.addingHeader("Cache-Control", "max-age=60")
            }
            let before = server.loginCount
            let response = try await session.send(.data, cachePolicy: .reload)
            XCTAssertEqual(response.value.user, "alice")
            XCTAssertEqual(server.loginCount, before + 1, "the login was renewed once")
            let stored = try await session.send(.data)
            XCTAssertEqual(stored.cacheUse, .stored)
            XCTAssertEqual(stored.value.user, "alice")
        }
    }

    // Without a login there is no renewal whose response would replace it.
    func testExpiredLoginIsNotStoredWithoutARenewal() async throws {
        var profile = LoginProfile.form()
        profile.expiry.codes = [40]
        let session = try session(profile: profile) {
            $0.cache = .standard
            $0.envelope = .codeData
        }
        server.script("/data") { _ in
            ScriptedTransport.Answer.json(#"{"code": 40, "msg": "", "data": null}"#)
                .addingHeader("Cache-Control", "max-age=60")
        }
        for policy in [CachePolicy.default, .onlyIfCached] {
            let error = await failure { _ = try await session.send(.data, cachePolicy: policy) }
            XCTAssertEqual(error, policy == .default ? .serverError : .notCached)
        }
    }

    func testRenewalKeepsTheCache() async throws {
        let session = try await loggedInWithCache()
        serve()
        _ = try await fetch(session)
        server.expire()
        _ = try await session.send(.data)
        XCTAssertEqual(server.loginCount, 2)
        let answer = try await fetch(session)
        XCTAssertEqual(answer.use, .stored)
    }

    func testAccountsNeverSeeEachOthersResponses() async throws {
        let session = try await loggedInWithCache()
        serve()
        _ = try await fetch(session)
        try await session.logIn(username: "bob", password: "li")
        let bob = try await fetch(session)
        XCTAssertEqual(bob.text, "page of bob")
        XCTAssertEqual(bob.use, .network)
        try await session.logOut()
        let none = try await fetch(session)
        XCTAssertEqual(none.text, "page of none")
        try await session.logIn(username: "alice", password: "zhang")
        let alice = try await fetch(session)
        XCTAssertEqual(alice.text, "page of alice")
        XCTAssertEqual(alice.use, .network)
    }

    /// With tokens, the name of a user is a label.
    func testAnotherTokenUnderTheSameNameSeesNoStoredResponses() async throws {
        for hasKeychain in [true, false] {
            let page: (String) -> ScriptedTransport.Answer = {
                Self.answer(.ok, ["Cache-Control": "max-age=60"], "page of \($0)")
            }
            let check = ScriptedTransport.Answer.json("{}")
            let transport = ScriptedTransport([check, page("A"), check, page("B")])
            let session = try session(profile: .bearer(), hasKeychain: hasKeychain, transport: transport) {
                $0.cache = .standard
                $0.cache?.folder = folder + "/responses"
            }
            for (token, use) in [("A", CacheUse.network), ("A again", .stored), ("B", .network)]
                as [(String, CacheUse)]
            {
                if token.count == 1 { try await session.logIn(username: "me", password: token) }
                let answer = try await fetch(session)
                XCTAssertEqual(answer.text, "page of \(token.prefix(1))")
                XCTAssertEqual(answer.use, use)
            }
        }
    }

    /// The name of a token's login is only a label, which a user name may equal.
    func testPasswordLoginSeesNoStoredResponsesOfATokenWithItsName() async throws {
        let names = ["Carol", "me", "Carol"]
        let pages = names.map { Self.answer(.ok, ["Cache-Control": "max-age=60"], "page of \($0)") }
        let transport = ScriptedTransport(pages)
        for (index, name) in names.enumerated() {
            let profile: LoginProfile = name == "me" ? .basic(checkPath: nil) : .bearer(checkPath: nil)
            let session = try session(profile: profile, transport: transport) {
                $0.cache = .standard
                $0.cache?.folder = folder + "/responses"
            }
            let isRestored = try await session.restore()
            XCTAssertEqual(isRestored, index > 0)
            try await session.logIn(username: "me", password: "secret")
            for use in [CacheUse.network, .stored] {
                let answer = try await fetch(session)
                XCTAssertEqual(answer.text, "page of \(name)")
                XCTAssertEqual(answer.use, use)
            }
            try await session.flush()
        }
    }

    func testOwnCredentialsAreKeptApart() async throws {
        server.script("/data/page") { request in
            let who = request.head.headerFields[.authorization] ?? "none"
            return Self.answer(.ok, ["Cache-Control": "max-age=60"], "page of \(who)")
        }
        let loggedIn = try await loggedInWithCache()
        let anonymous = try caching { $0.name = "other" }
        for session in [loggedIn, anonymous] {
            for use in [CacheUse.network, .stored] {
                for name in ["Bearer a", "Bearer b", nil] {
                    var endpoint = Self.page()
                    endpoint.headers[.authorization] = name
                    let answer = try await fetch(session, endpoint)
                    XCTAssertEqual(answer.text, "page of \(name ?? "none")")
                    XCTAssertEqual(answer.use, use)
                }
            }
        }
    }

    // Another server chooses the URL, and its request lacks the token.
    func testResponseToARedirectOfAnotherServerAnswersNoOwnRequest() async throws {
        server.state.withLock { $0.sendsToken = true }
        let session = try await loggedInWithCache()
        let token = try XCTUnwrap(HTTPField.Name("x-auth-token"))
        server.script("/data/page") { request in
            let isOwn = request.head.headerFields[token] != nil
            return Self.answer(.ok, ["Cache-Control": "max-age=60"], isOwn ? "own" : "poor")
        }
        server.script("/lead") { _ in .redirect(to: "http://127.0.0.1:1/data/page") }
        let led = try await fetch(session, Self.page("/lead").setting(\.server, to: "http://localhost:1"))
        XCTAssertEqual(led.text, "poor")
        let own = try await fetch(session)
        XCTAssertEqual(own.text, "own")
    }

    func testOnlyIfCachedAsksNoServer() async throws {
        let session = try await loggedIn()
        let error = await failure { _ = try await session.send(.data, cachePolicy: .onlyIfCached) }
        XCTAssertEqual(error, .notCached)
        XCTAssertEqual(server.dataTries, 0)
    }

    func testCookiesOfABackgroundRefreshReachTheSession() async throws {
        let session = try await loggedInWithCache()
        let control = "max-age=60, stale-while-revalidate=60"
        serve("/data/page", ["Cache-Control": control])
        _ = try await fetch(session)
        elapsed.withLock { $0 = 90 }
        serve("/data/page", ["Cache-Control": control, "Set-Cookie": "rotated=1"])
        let stale = try await fetch(session)
        XCTAssertEqual(stale.use, .stale)
        await eventually { session.cookies.contains { $0.name == "rotated" } }
    }

    // The head of a response removes nothing whose replacement may never come.
    func testCutResponseLeavesTheStoredOne() async throws {
        let session = try await loggedInWithCache { $0.cache?.servesStaleOffline = true }
        serve()
        _ = try await fetch(session)
        elapsed.withLock { $0 = 100 }
        server.script("/data/page") { _ in
            let body = HTTPResponseBody { HTTPResponseBody.AsyncIterator { throw ClientError.noResponse } }
            return .response(.ok, headers: [.cacheControl: "max-age=60"], body: body)
        }
        let cut = await failure { _ = try await fetch(session) }
        XCTAssertEqual(cut, .noResponse)
        let answer = try await fetch(session, Self.page(), .onlyIfCached)
        XCTAssertEqual(answer.use, .stale)
    }

    func testUseIsThatOfTheLastHop() async throws {
        let session = try await loggedInWithCache()
        server.script("/data/old") { _ in
            ScriptedTransport.Answer.redirect(to: "/data/page", status: .permanentRedirect)
                .addingHeader("Cache-Control", "max-age=60")
        }
        serve("/data/page", ["Cache-Control": "no-store"])
        for _ in 0..<2 {
            let answer = try await fetch(session, Self.page("/data/old"))
            XCTAssertEqual(answer.use, .network)
        }
        XCTAssertEqual(server.dataTries, 3)
    }

    func testLateResponseIsNotStoredAfterALogout() async throws {
        let session = try await loggedInWithCache()
        let gate = Gate()
        server.script("/data/page") { _ in
            await gate.pass()
            return Self.answer(.ok, ["Cache-Control": "max-age=60"], "page of alice")
        }
        let late = Task { try await fetch(session).text }
        await gate.hasCome()
        try await session.logOut()
        try await session.logIn(username: "alice", password: "zhang")
        gate.open()
        _ = try? await late.value
        serve()
        let answer = try await fetch(session)
        XCTAssertEqual(answer.use, .network)
    }

    func testUnsafeRequestEndsStoredResponses() async throws {
        let session = try await loggedInWithCache()
        let change = Endpoint<[UInt8]>.post("/data/page", form: [:])
        for (status, use) in [
            (HTTPResponse.Status.ok, CacheUse.network), (.badRequest, .stored),
            (.internalServerError, .stored),
        ] {
            serve()
            _ = try await fetch(session, Self.page(), .reload)
            serve("/data/page", [:], status: status)
            _ = try? await session.send(change)
            serve()
            let answer = try await fetch(session)
            XCTAssertEqual(answer.use, use, "\(status)")
        }
    }

    // A response that was begun before a change must not bring back what the change has made out of date.
    func testResponseOfBeforeAChangeIsNotStored() async throws {
        let session = try await loggedInWithCache()
        let gate = Gate()
        server.script("/data/page") { request in
            if request.head.method == .post { return .json("{}") }
            await gate.pass()
            return Self.answer(.ok, ["Cache-Control": "max-age=60"], "old")
        }
        let early = Task { try await fetch(session).text }
        await gate.hasCome()
        _ = try await session.send(Endpoint<[UInt8]>.post("/data/page", form: [:]))
        gate.open()
        let old = try await early.value
        XCTAssertEqual(old, "old")
        serve()
        let answer = try await fetch(session)
        XCTAssertEqual(answer.use, .network)
    }

    func testStaleResponseIsUsedWhileItIsRefreshed() async throws {
        let session = try await loggedInWithCache()
        let control = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
        serve("/data/page", control) { _ in "first" }
        _ = try await fetch(session)
        elapsed.withLock { $0 = 90 }
        serve("/data/page", control) { _ in "second" }
        let stale = try await fetch(session)
        XCTAssertEqual(stale.text, "first")
        XCTAssertEqual(stale.use, .stale)
        await eventually {
            let answer = try? await fetch(session, Self.page(), .onlyIfCached)
            return answer?.text == "second"
        }
        XCTAssertEqual(server.dataTries, 2)
    }

    /// As in a program that ends with its answer.
    func testStaleResponseIsNotUsedWithoutRefreshesInTheBackground() async throws {
        let session = try await loggedInWithCache { $0.cache?.refreshesInBackground = false }
        let control = ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
        for text in ["first", "second", "third"] {
            serve("/data/page", control) { _ in text }
            let answer = try await fetch(session)
            XCTAssertEqual(answer.text, text)
            XCTAssertEqual(answer.use, .network)
        }
        // Without a request, the stored response is all there is.
        let stored = try await fetch(session, Self.page(), .onlyIfCached)
        XCTAssertEqual(stored.text, "third")
        XCTAssertEqual(stored.use, .stale)
    }

    func testLogoutDuringARefreshStoresNothing() async throws {
        let session = try await loggedInWithCache()
        let control = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
        serve("/data/page", control)
        _ = try await fetch(session)
        elapsed.withLock { $0 = 90 }
        let (gate, isOver) = (Gate(), Gate())
        server.script("/data/page") { _ in
            await gate.pass()
            // Released when the refresh has ended, and what it stores is stored.
            let witness = ReleaseWitness { isOver.open() }
            var answer = ScriptedTransport.Answer.response(
                body: HTTPResponseBody {
                    var piece: [UInt8]? = Array("refreshed".utf8)
                    return .init {
                        defer { piece = nil }
                        return withExtendedLifetime(witness) { piece }
                    }
                }
            )
            for (name, value) in control { answer = answer.addingHeader(name, value) }
            return answer
        }
        let stale = try await fetch(session)
        XCTAssertEqual(stale.use, .stale)
        await gate.hasCome()
        try await session.logOut()
        gate.open()
        await isOver.pass()
        try await session.cache?.flush()
        let sizes = try await session.cache?.sizes()
        XCTAssertEqual(sizes?.memory, 0)
        XCTAssertEqual(sizes?.disk, 0)
        let left = try? FileManager.default.contentsOfDirectory(atPath: folder + "/responses")
        XCTAssertEqual(left ?? [], [], "the folder is not made anew")
        try await session.logIn(username: "alice", password: "zhang")
        let error = await failure { _ = try await fetch(session, Self.page(), .onlyIfCached) }
        XCTAssertEqual(error, .notCached)
    }

    func testStaleResponseIsUsedInPlaceOfAnError() async throws {
        let session = try await loggedInWithCache()
        serve("/data/page", ["Cache-Control": "max-age=60, stale-if-error=600"])
        _ = try await fetch(session)
        elapsed.withLock { $0 = 100 }
        for failing in [ClientError.noConnection, .noResponse, .timedOut] {
            server.script("/data/page") { _ in .failure(failing) }
            let answer = try await fetch(session)
            XCTAssertEqual(answer.use, .stale)
        }
        // An attacker must not be able to hide what is new.
        for failing in [ClientError.untrustedServer, .redirectRefused, .malformedResponse] {
            server.script("/data/page") { _ in .failure(failing) }
            let error = await failure { _ = try await fetch(session) }
            XCTAssertEqual(error, failing)
        }
        elapsed.withLock { $0 = 700 }
        server.script("/data/page") { _ in .failure(.noConnection) }
        let error = await failure { _ = try await fetch(session) }
        XCTAssertEqual(error, .noConnection)
    }

    func testOfflineResponsesAreUsedOnDemand() async throws {
        let session = try await loggedInWithCache { $0.cache?.servesStaleOffline = true }
        serve()
        _ = try await fetch(session)
        elapsed.withLock { $0 = 100_000 }
        server.script("/data/page") { _ in .failure(.noConnection) }
        let answer = try await fetch(session)
        XCTAssertEqual(answer.use, .stale)
    }

    func testEachHopOfARedirectIsStored() async throws {
        let session = try await loggedInWithCache()
        server.script("/data/old") { _ in
            ScriptedTransport.Answer.redirect(to: "/data/page", status: .permanentRedirect)
                .addingHeader("Cache-Control", "max-age=60")
        }
        serve()
        for use in [CacheUse.network, .stored] {
            let answer = try await fetch(session, Self.page("/data/old"))
            XCTAssertEqual(answer.text, "page of alice")
            XCTAssertEqual(answer.use, use)
        }
        XCTAssertEqual(server.dataTries, 2)
    }

    func testVariantsAreKeptApart() async throws {
        let session = try await loggedInWithCache()
        server.script("/data/page") { request in
            let language = request.head.headerFields[.acceptLanguage] ?? "none"
            return Self.answer(.ok, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], language)
        }
        let languages = (0..<10).map { "x-\($0)" }
        for language in languages {
            let endpoint = Self.page().setting(\.headers, to: [.acceptLanguage: language])
            for use in [CacheUse.network, .stored] {
                let answer = try await fetch(session, endpoint)
                XCTAssertEqual(answer.text, language)
                XCTAssertEqual(answer.use, use)
            }
        }
        // There are at most eight.
        let first = Self.page().setting(\.headers, to: [.acceptLanguage: languages[0]])
        let answer = try await fetch(session, first)
        XCTAssertEqual(answer.use, .network)
    }

    func testRangeAndHeadAreAnsweredFromAStoredResponse() async throws {
        let session = try await loggedInWithCache()
        serve()
        _ = try await fetch(session)
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:1",
            path: "/data/page",
            headerFields: [.range: "bytes=5-6"]
        )
        let part = try await session.send(request)
        XCTAssertEqual(part.head.status, .partialContent)
        XCTAssertEqual(String(decoding: part.body, as: UTF8.self), "of")
        var head = request
        head.method = .head
        head.headerFields = [:]
        let only = try await session.send(head)
        XCTAssertEqual(only.cacheUse, .stored)
        XCTAssertEqual(only.body, [])
        XCTAssertEqual(server.dataTries, 1)
    }

    func testWrongLengthAndCutBodiesAreNotStored() async throws {
        let session = try await loggedInWithCache()
        serve("/data/page", ["Cache-Control": "max-age=60", "Content-Length": "14"])
        for _ in 0..<2 {
            let answer = try await fetch(session)
            XCTAssertEqual(answer.use, .network)
        }
        server.script("/data/page") { _ in
            let count = Lock(0)
            let body = HTTPResponseBody {
                HTTPResponseBody.AsyncIterator {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    guard number == 1 else { throw ClientError.noResponse }
                    return Array("part".utf8)
                }
            }
            return .response(.ok, headers: [.cacheControl: "max-age=60"], body: body)
        }
        let error = await failure { _ = try await fetch(session) }
        XCTAssertEqual(error, .noResponse)
        let none = await failure { _ = try await fetch(session, Self.page(), .onlyIfCached) }
        XCTAssertEqual(none, .notCached)
    }

    func testRemovingOnDemand() async throws {
        let session = try await loggedInWithCache()
        serve("/data/a")
        serve("/data/b")
        for path in ["/data/a", "/data/b"] { _ = try await fetch(session, Self.page(path)) }
        try await session.removeCached(Self.page("/data/a"))
        for (path, use) in [("/data/a", CacheUse.network), ("/data/b", .stored)] {
            let answer = try await fetch(session, Self.page(path))
            XCTAssertEqual(answer.use, use, path)
        }
        try await session.removeAllCached()
        let sizes = try await session.cachedByteCounts()
        XCTAssertEqual(sizes.memory, 0)
        XCTAssertEqual(sizes.disk, 0)
        let answer = try await fetch(session, Self.page("/data/b"))
        XCTAssertEqual(answer.use, .network)
    }

    func testSizesAreLimited() async throws {
        let session = try await loggedInWithCache {
            $0.cache?.memory = .kibibytes(256)
            $0.cache?.disk = .mebibytes(1)
        }
        for number in 0..<200 {
            serve("/data/\(number)") { _ in String(repeating: "x", count: 20_000) }
            _ = try await fetch(session, Self.page("/data/\(number)"))
        }
        try await session.flush()
        let sizes = try await session.cachedByteCounts()
        XCTAssertLessThanOrEqual(sizes.memory, 256 << 10)
        XCTAssertLessThanOrEqual(sizes.disk, 1 << 20)
        XCTAssertGreaterThan(sizes.disk, 500_000)
        // A response that takes more than a twentieth is not written, and one of an eighth not kept in memory.
        serve("/data/large") { _ in String(repeating: "x", count: 60_000) }
        for _ in 0..<2 {
            let answer = try await fetch(session, Self.page("/data/large"))
            XCTAssertEqual(answer.use, .network)
        }
    }
}
