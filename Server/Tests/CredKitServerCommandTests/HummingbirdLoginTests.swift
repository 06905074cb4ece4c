// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport
import Foundation
import Hummingbird
import Logging
import XCTest

/// The adapters of docs/frameworks.md: printed as they are compiled, and the one for Hummingbird run over a socket.
final class HummingbirdLoginTests: XCTestCase {
    private actor Users: LoginTable {
        private(set) var hashes = ["alice": "$1$abc$iCQ2D3nhptRYi27fDYv2s1"]

        func hash(of name: String) -> String? { hashes[name] }
        func replaceHash(_ hash: String, of name: String, with newer: String) {
            if hashes[name] == hash { hashes[name] = newer }
        }
    }

    func testLoginOverHummingbirdStoresTheNewerHash() async throws {
        let router = Router(context: LoginContext.self)
        let users = Users()
        let policy = try PasswordPolicy(preferred: .argon2id(memory: .mebibytes(1), passes: 1))
        let passwords = try PasswordService(context: PasswordContext(policy: policy))
        addLogin(to: router, passwords: passwords, users: users)
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
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
        func status(_ name: String, _ password: String) throws -> String {
            let form = #"{"name": "\#(name)", "password": "\#(password)"}"#
            return try shell.run(
                """
                curl -s -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d '\(form)' \
                http://127.0.0.1:\(port)/login
                """
            ).text
        }
        XCTAssertEqual(try status("alice", "Secret"), "401")
        XCTAssertEqual(try status("bob", "secret"), "401")
        let before = await users.hashes["alice"]
        XCTAssertEqual(before, "$1$abc$iCQ2D3nhptRYi27fDYv2s1")
        XCTAssertEqual(try status("alice", "secret"), "200")
        let after = await users.hashes["alice"]
        XCTAssertEqual(after?.hasPrefix("$argon2id$"), true, after ?? "")
        XCTAssertEqual(try status("alice", "secret"), "200")
        let last = await users.hashes["alice"]
        XCTAssertEqual(last, after)
    }

    func testAdaptersArePrintedAsTheyAreCompiled() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let page = TestScripts.root.appendingPathComponent("docs/frameworks.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for name in ["HummingbirdLogin", "VaporLogin"] {
            let source = try String(
                contentsOf: folder.appendingPathComponent("\(name).swift"),
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
