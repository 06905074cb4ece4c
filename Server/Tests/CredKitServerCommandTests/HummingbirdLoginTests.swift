// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport
import Foundation
import Hummingbird
import Logging
import XCTest

@testable import HummingbirdExample

/// The example of docs/frameworks.md and docs/passkeys.md over a socket, and that the pages print it as it is compiled.
final class HummingbirdLoginTests: XCTestCase {
    /// A browser that keeps its cookies, also those for TLS alone.
    private struct Browser {
        struct Answer {
            let status: String
            let headers: [String]
            let body: String
        }

        let shell: Shell
        let port: Int
        var cookies: [String: String] = [:]

        mutating func get(_ path: String) throws -> Answer { try send(path, "") }

        mutating func post(_ path: String, _ fields: [String: String] = [:]) throws -> Answer {
            let form = shell.folder.appendingPathComponent("form")
            try JSONSerialization.data(withJSONObject: fields).write(to: form)
            return try send(path, "-H 'Content-Type: application/json' --data-binary @form")
        }

        private mutating func send(_ path: String, _ options: String) throws -> Answer {
            let cookie = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let outcome = try shell.run(
                """
                rm -f body
                curl -s -D head -o body -w '%{http_code}' -H 'Cookie: \(cookie)' \(options) http://127.0.0.1:\(port)\(path)
                cat head
                cat body > answer
                """
            )
            let lines = outcome.text.split(whereSeparator: \.isNewline).map(String.init)
            for line in lines where line.lowercased().hasPrefix("set-cookie: ") {
                let pair = line.dropFirst("set-cookie: ".count).prefix { $0 != ";" }.split(separator: "=")
                cookies[String(try XCTUnwrap(pair.first))] = pair.count > 1 ? String(pair[1]) : ""
            }
            return Answer(
                status: String(outcome.text.prefix(3)),
                headers: lines,
                body: try String(contentsOf: shell.folder.appendingPathComponent("answer"), encoding: .utf8)
            )
        }

        /// Asks for options of passkeys.
        mutating func options(_ path: String) throws -> (ceremony: String, options: String) {
            let answer = try post("\(path)/options")
            XCTAssertEqual(answer.status, "200", answer.body)
            let object = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
            let members = try XCTUnwrap(object as? [String: Any])
            let options = try JSONSerialization.data(withJSONObject: XCTUnwrap(members["options"]))
            return (try XCTUnwrap(members["ceremony"] as? String), String(decoding: options, as: UTF8.self))
        }
    }

    private struct FailingAccounts: LoginAccounts {
        struct Failure: Error {}

        func account(named name: String) throws -> LoginAccount? { throw Failure() }
        func replace(_: StoredCredential, with: StoredCredential, ofAccountNamed: String) {}
    }

    private static func alice() throws -> InMemoryAccounts {
        let credential = try StoredCredential("$1$abc$iCQ2D3nhptRYi27fDYv2s1")
        return InMemoryAccounts([LoginAccount(name: "alice", credential: credential)])
    }

    /// Runs the example with these users.
    private func withSite(_ accounts: any LoginAccounts, _ body: (Browser) throws -> Void) async throws {
        let policy = try PasswordPolicy(preferred: .argon2id(memory: .mebibytes(1), passes: 1))
        let passwords = try PasswordService(context: PasswordContext(policy: policy))
        let site = try WebAuthn.RelyingParty(
            id: "localhost",
            name: "Example",
            origins: [PasskeySite.origin]
        )
        let logins = try LoginService(
            accounts: accounts,
            mechanisms: [.password(passwords), PasskeyMechanism(site, store: InMemoryPasskeyStore())],
            storage: .memory(isFirstStart: true)
        )
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: Example.router(logins),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { started.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let server = Task { try await application.runService(gracefulShutdownSignals: []) }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let first = await iterator.next()
        let port = try XCTUnwrap(first)
        let shell = try Shell()
        defer { shell.remove() }
        try body(Browser(shell: shell, port: port))
    }

    func testLoginOverHummingbirdStoresTheNewerHashAndOpensASession() async throws {
        let users = try Self.alice()
        try await withSite(users) { browser in
            var browser = browser
            func hash() -> String? { users.account(named: "alice")?.credential.passwordHash }
            XCTAssertEqual(try browser.get("/me").status, "401")
            let wrong = try browser.post("/login", ["name": "alice", "password": "Secret"])
            let unknown = try browser.post("/login", ["name": "bob", "password": "secret"])
            XCTAssertEqual([wrong.status, unknown.status], ["401", "401"])
            XCTAssertEqual(wrong.body, unknown.body)
            XCTAssertEqual(hash(), "$1$abc$iCQ2D3nhptRYi27fDYv2s1")
            XCTAssertEqual(try browser.get("/me").status, "401")

            let login = try browser.post("/login", ["name": "alice", "password": "secret"])
            XCTAssertEqual(login.status, "204", login.body)
            XCTAssertEqual(hash()?.hasPrefix("$argon2id$"), true, hash() ?? "")
            XCTAssertEqual(try browser.get("/me").body, "alice")

            let session = browser.cookies["__Host-session"]
            XCTAssertEqual(try browser.post("/logout").status, "204")
            XCTAssertEqual(browser.cookies["__Host-session"], "")
            browser.cookies["__Host-session"] = session
            XCTAssertEqual(try browser.get("/me").status, "401")
        }
    }

    func testTooManyAttemptsAreToldToWait() async throws {
        try await withSite(Self.alice()) { browser in
            var browser = browser
            let form = ["name": "alice", "password": "wrong"]
            for _ in 0..<10 { XCTAssertEqual(try browser.post("/login", form).status, "401") }
            let limited = try browser.post("/login", form)
            XCTAssertEqual(limited.status, "429")
            XCTAssertTrue(limited.headers.contains { $0.lowercased().hasPrefix("retry-after: ") })
        }
    }

    func testAFailingTableIsUnavailable() async throws {
        try await withSite(FailingAccounts()) { browser in
            var browser = browser
            let login = try browser.post("/login", ["name": "alice", "password": "secret"])
            XCTAssertEqual(login.status, "503")
            XCTAssertEqual(login.body, "")
        }
    }

    func testAPasskeyIsAddedAfterALoginAndLogsInAlone() async throws {
        try await withSite(Self.alice()) { browser in
            var authenticator = try PasskeySite.authenticator()
            var (alice, other) = (browser, browser)
            XCTAssertEqual(try alice.post("/passkeys/options").status, "403")
            let password = ["name": "alice", "password": "secret"]
            XCTAssertEqual(try alice.post("/login", password).status, "204")
            let new = try alice.options("/passkeys")
            let response = try authenticator.creating(new.options)
            let enrolment = ["ceremony": new.ceremony, "response": response, "name": "Laptop"]
            XCTAssertEqual(try alice.post("/passkeys", enrolment).status, "201")

            let begun = try other.options("/passkey")
            let login = ["ceremony": begun.ceremony, "response": try authenticator.answering(begun.options)]
            XCTAssertEqual(try other.post("/passkey", login).status, "204")
            XCTAssertEqual(try other.get("/me").body, "alice")
            XCTAssertEqual(try other.post("/passkey", login).status, "401")
            // The password alone no longer does.
            XCTAssertEqual(try other.post("/login", password).status, "403")
        }
    }

    func testAdaptersArePrintedAsTheyAreCompiled() throws {
        let page = TestScripts.root.appendingPathComponent("docs/frameworks.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for name in [
            "Examples/Hummingbird/LoginMiddleware", "Examples/Hummingbird/LoginRoutes",
            "Tests/CredKitServerCommandTests/VaporLogin",
        ] {
            let source = try String(
                contentsOf: TestScripts.root.appendingPathComponent("Server/\(name).swift"),
                encoding: .utf8
            )
            let code = try XCTUnwrap(source.components(separatedBy: "docs/frameworks.md.\n").last)
            XCTAssertTrue(
                text.contains("```swift\n\(code)```"),
                "docs/frameworks.md differs from \(name).swift"
            )
        }
    }
}
