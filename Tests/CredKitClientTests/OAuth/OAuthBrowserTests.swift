// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import CredKitTesting
import Foundation
import XCTest

@testable import CredKitClient

/// Logs in as alice with a browser.
private func logIn(_ session: LoginSession, _ user: BrowserUser) async -> ClientError? {
    await failure {
        try await session.logInWithBrowser(username: "alice") { url in user.open(url.absoluteString) }
    }
}

/// Logins with a browser, at a server that is not part of CredKit, over real sockets.
final class OAuthBrowserTests: SessionTestCase {
    private func profile(
        at server: OAuthServer,
        _ change: (inout LoginProfile.BrowserLogin) -> Void = { _ in }
    ) -> LoginProfile {
        var login = LoginProfile.BrowserLogin(authorizationURL: "\(server.url)/authorize")
        login.issuer = server.url
        login.requiresIssuer = true
        change(&login)
        return .oauth(
            clientID: "desktop",
            scope: "students",
            tokenPath: "/token",
            revocationPath: "/revoke",
            browserLogin: login
        )
    }

    private func session(
        at server: OAuthServer,
        _ profile: LoginProfile? = nil
    ) throws -> LoginSession {
        try LoginSession(
            server: server.url,
            profile: profile ?? self.profile(at: server),
            keychain: keychain,
            configuration: configuration
        )
    }

    func testLoginRenewalAndLogout() async throws {
        let server = try OAuthServer()
        let discovered = try await LoginProfile.oauth(
            issuer: server.url,
            clientID: "desktop",
            scope: "students"
        )
        let formPost = profile(at: server) { $0.responseMode = .formPost }
        let localhost = profile(at: server) { $0.redirectURL = "http://localhost/callback" }
        for profile in [profile(at: server), discovered, formPost, localhost] {
            let user = BrowserUser()
            let session = try session(at: server, profile)
            let error = await logIn(session, user)
            XCTAssertNil(error)
            let page = try await user.page()
            XCTAssertEqual(page.status, 200)
            let name = try await session.value(of: .data).user
            XCTAssertEqual(name, "alice")
            try server.expire()
            _ = try await session.value(of: .data)
            let refresh = try await password(of: "alice", at: server.url)
            XCTAssertEqual(try server.state.valid, [refresh])
            try await session.logOut()
            let state = try server.state
            XCTAssertEqual(state.revoked.last, refresh)
            XCTAssertEqual(state.valid, [])
        }
        XCTAssertEqual(try server.state.reused, 0)
    }

    /// Each fault breaks one rule. Nothing is saved, no token stays valid, and the page does not say that the user is logged in.
    func testFaultsOfTheServerAreRefused() async throws {
        let server = try OAuthServer()
        let succeeded = BrowserUser()
        let first = try session(at: server)
        let none = await logIn(first, succeeded)
        XCTAssertNil(none)
        let success = try await succeeded.page().body
        try await first.logOut()
        for (fault, expected, exchanges) in [
            ("two codes", .malformedResponse, 0), ("two iss", .malformedResponse, 0),
            ("no iss", .malformedResponse, 0), ("another iss", .malformedResponse, 0),
            ("code and error", .malformedResponse, 0), ("neither", .malformedResponse, 0),
            ("control in code", .malformedResponse, 0), ("refused", .invalidCredentials, 0),
            ("refused by another server", .malformedResponse, 0), ("escapes in error", .serverError, 0),
            ("redirect rewritten", .serverError, 1), ("token redirected", .redirectRefused, 1),
            ("another type", .malformedResponse, 1), ("no token", .malformedResponse, 1),
            ("html", .malformedResponse, 1),
        ] as [(String, ClientError, Int)] {
            try server.fault(fault)
            let before = try server.state
            let (user, session) = (BrowserUser(), try session(at: server))
            let error = await logIn(session, user)
            XCTAssertEqual(error, expected, fault)
            let page = try await user.page()
            XCTAssertNotEqual(page.body, success, fault)
            XCTAssertEqual(page.body.contains("The login was refused"), fault == "refused", fault)
            for word in ["owned", "<script", "\u{1B}"] { XCTAssertFalse(page.body.contains(word), fault) }
            let state = try server.state
            let sent = state.requests.dropFirst(before.requests.count)
            XCTAssertEqual(sent.count { $0.target == "/token" }, exchanges, fault)
            XCTAssertNil(session.account, fault)
            // A refresh token that came with an answer that cannot be used.
            XCTAssertEqual(state.revoked.count - before.revoked.count, fault == "another type" ? 1 : 0, fault)
            let saved = try await password(of: "alice", at: server.url)
            XCTAssertNil(saved, fault)
            if fault == "redirect rewritten" {
                XCTAssertTrue(error?.description.contains("redirect URL") == true, "\(error as Any)")
            }
        }
        XCTAssertFalse(logs.text.contains("owned"))
    }

    /// Answers that are not of this login end nothing: the right one is still taken.
    func testAnswersWithAnotherStateEndNothing() async throws {
        let server = try OAuthServer()
        for fault in ["no state", "another state", "two states", "refused without state"] {
            try server.fault(fault)
            let (user, session) = (BrowserUser(), try session(at: server))
            let login = Task { await logIn(session, user) }
            await eventually { !user.urls.isEmpty }
            let wrong = try await user.page()
            XCTAssertEqual(wrong.status, 400, fault)
            XCTAssertNil(session.account)
            try server.fault("")
            user.open(try XCTUnwrap(user.urls.first))
            let error = await login.value
            XCTAssertNil(error, fault)
            let page = try await user.page(1)
            XCTAssertEqual(page.status, 200, fault)
            try await session.logOut()
        }
    }

    func testCodeIsExchangedOnceAndWorthlessWithoutTheVerifier() async throws {
        let server = try OAuthServer()
        let (user, session) = (BrowserUser(), try session(at: server))
        let error = await logIn(session, user)
        XCTAssertNil(error)
        let requests = try server.state.requests
        let exchange = try XCTUnwrap(requests.last { $0.target == "/token" })
        let fields = try XCTUnwrap(FormText(exchange.body[...]).decoded)
        let names: [String] = fields.map { $0.key }
        XCTAssertEqual(names, ["grant_type", "redirect_uri", "client_id", "code", "code_verifier"])
        XCTAssertNil(exchange.headers["Authorization"])
        let answer = try XCTUnwrap(try server.answers().last)
        let code = try XCTUnwrap(fields.first(where: { $0.key == "code" })?.value)
        let verifier = try XCTUnwrap(fields.first(where: { $0.key == "code_verifier" })?.value)
        XCTAssertTrue(answer.contains("code=\(code)"))
        // The verifier is sent to the token endpoint alone, and nothing of the login is logged.
        for request in requests where request.target != "/token" {
            XCTAssertFalse(request.target.contains(verifier))
        }
        XCTAssertFalse(user.urls.joined().contains(verifier))
        let page = try await user.page().body
        for secret in [code, verifier, try XCTUnwrap(user.urls.first)] {
            XCTAssertFalse(logs.text.contains(secret))
            XCTAssertFalse(page.contains(secret))
        }
        for file in files {
            let text = try Data(contentsOf: URL(fileURLWithPath: folder + "/sessions/" + file))
            for secret in [code, verifier] { XCTAssertNil(text.range(of: Data(secret.utf8))) }
        }
    }

    /// A login that cannot be saved is revoked, or at least reported, and never shown as a success.
    func testLoginThatCannotBeSavedIsNoSuccess() async throws {
        let server = try OAuthServer()
        let saved = BrowserUser()
        let first = try session(at: server)
        let none = await logIn(first, saved)
        XCTAssertNil(none)
        let success = try await saved.page().body
        try await first.logOut()
        let user = BrowserUser()
        var configuration = configuration
        configuration.revokesUnsavedTokens = true
        // A file in the place of the folder.
        let place = folder + "/no-folder"
        try Data().write(to: URL(fileURLWithPath: place))
        configuration.folder = place + "/sessions"
        let session = try LoginSession(
            server: server.url,
            profile: profile(at: server),
            keychain: keychain,
            configuration: configuration
        )
        let error = await logIn(session, user)
        XCTAssertTrue(error == .storage || error == .insecureFile, "\(error as Any)")
        let page = try await user.page().body
        XCTAssertNotEqual(page, success)
        XCTAssertEqual(try server.state.valid, [])
    }

    func testProgramThatCannotOpenABrowserEndsTheLogin() async throws {
        let server = try OAuthServer()
        let session = try session(at: server)
        let error = await failure {
            try await session.logInWithBrowser(username: "alice") { (_) throws(ClientError) in
                throw ClientError(.localFile, message: "no browser")
            }
        }
        XCTAssertEqual(error, .localFile)
        XCTAssertEqual(try server.state.requests.count, 0)
    }

    /// The user closes the tab, and gives up. Other operations do not wait for a user.
    func testWaitingLoginCanBeCancelledAndBlocksNothing() async throws {
        let server = try OAuthServer()
        try server.showPage(true)
        let (user, session) = (BrowserUser(), try session(at: server))
        let login = Task { await logIn(session, user) }
        await eventually { !user.urls.isEmpty }
        let page = try await user.page()
        XCTAssertTrue(page.body.contains("Log in"))
        try await session.logOut()
        login.cancel()
        let error = await login.value
        XCTAssertEqual(error, .cancelled)
        XCTAssertNil(session.account)
    }

    func testProfilesWithoutBrowserLoginOpenNothing() async throws {
        let user = BrowserUser()
        for profile in [LoginProfile.form(), .oauth(clientID: "a", tokenPath: "/t")] {
            let session = try session(profile: profile, transport: ScriptedTransport([]))
            let error = await logIn(session, user)
            XCTAssertEqual(error, .invalidProfile)
        }
        XCTAssertEqual(user.urls, [])
    }

    func testMetadataThatBreaksARuleIsRefused() async throws {
        let server = try OAuthServer()
        for (fault, expected) in [
            ("metadata redirected", .redirectRefused), ("no S256", .serverError),
            ("pushed requests", .serverError), ("script endpoint", .invalidURL),
            ("another issuer", .malformedResponse), ("other origins", .malformedResponse),
        ] as [(String, ClientError)] {
            try server.fault(fault)
            let error = await failure {
                _ = try await LoginProfile.oauth(issuer: server.url, clientID: "desktop")
            }
            XCTAssertEqual(error, expected, fault)
        }
        // What is announced must be there.
        try server.fault("")
        let announcing = try await LoginProfile.oauth(issuer: server.url, clientID: "desktop")
        try server.fault("no iss")
        let missing = await logIn(try session(at: server, announcing), BrowserUser())
        XCTAssertEqual(missing, .malformedResponse)
        // What is not announced may be missing; what is there must be right all the same.
        try server.fault("iss unannounced")
        let profile = try await LoginProfile.oauth(issuer: server.url, clientID: "desktop")
        for (fault, expected) in [("no iss", nil), ("another iss", .malformedResponse)]
            as [(String, ClientError?)]
        {
            try server.fault(fault)
            let session = try session(at: server, profile)
            let error = await logIn(session, BrowserUser())
            XCTAssertEqual(error, expected, fault)
        }
    }
}
