// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// SCRAM from the shell, at a server that is not part of CredKit.
final class SCRAMCommandTests: ShellTestCase {
    private struct Start: Decodable {
        let authority: String
        let ports: [String: Int]
    }

    private var server: Process!
    private var input: Pipe!
    private var output: Pipe!
    private var start: Start!

    override func setUpWithError() throws {
        try super.setUpWithError()
        (input, output) = (Pipe(), Pipe())
        server = Process()
        server.executableURL = TestScripts.python
        server.arguments = [TestScripts.path("scram_server.py")]
        server.standardInput = input
        server.standardOutput = output
        try server.run()
        start = try JSONDecoder().decode(Start.self, from: output.fileHandleForReading.availableData)
        func port(_ kind: String) throws -> Int { try XCTUnwrap(start.ports[kind]) }
        prefix = """
            U=http://127.0.0.1:\(try port("plain")); S=https://localhost:\(try port("sha256"))
            E=https://localhost:\(try port("ed25519")); R=https://localhost:\(try port("relay"))
            L="credkit login --user alice --mechanism scram --cacert \(start.authority)"
            P="--channel-binding server-end-point"

            """
    }

    override func tearDown() {
        server?.terminate()
        server?.waitForExit()
        super.tearDown()
    }

    /// Changes settings of the server.
    private func set(_ settings: [String: Any]) throws {
        let line = try JSONSerialization.data(withJSONObject: settings) + Data("\n".utf8)
        try input.fileHandleForWriting.write(contentsOf: line)
        _ = output.fileHandleForReading.availableData
    }

    func testLoginRequestAndRejection() throws {
        XCTAssertEqual(
            try run("printf zhang | $L $U -q; credkit request $U/data").text,
            #"{"user": "alice"}"#
        )
        // A later process renews the login with the profile that is saved.
        try set(["expire": true])
        XCTAssertEqual(try run("credkit request $U/data").text, #"{"user": "alice"}"#)
        let outcome = try run("printf wrong | $L $U", 77)
        XCTAssertTrue(outcome.errors.contains("rejected"), outcome.errors)
    }

    /// Also as the topic of the help shows it.
    func testServerThatOffersSCRAMIsNotAskedByAnother() throws {
        let login = try run("printf zhang | credkit login $U --user alice")
        XCTAssertTrue(login.errors.contains("the server offers scram"), login.errors)
        XCTAssertEqual(try run("credkit request $U/data; credkit logout -q").text, #"{"user": "alice"}"#)
        let port = try XCTUnwrap(start.ports["plain"])
        let examples = LoginProfilesTests.examples().filter { $0.contains("//scram.example") }
        XCTAssertEqual(examples.count, 1)
        for example in examples {
            let script = example.replacingOccurrences(
                of: "https://scram.example",
                with: "http://127.0.0.1:\(port)"
            )
            XCTAssertEqual(try run("printf zhang | {\n\(script)\n}").text, #"{"user": "alice"}"#)
        }
    }

    func testKeyPhrase() throws {
        try set(["password": "97070e99c2efa11e14a1b6f5407b4209", "subject": "e"])
        try run("printf zhang | $L $U --key-phrase itheima")
        let outcome = try run("printf zhang | $L $U --session other", 65)
        XCTAssertTrue(outcome.errors.contains("key phrase"), outcome.errors)
    }

    func testChannelBinding() throws {
        try set(["binding": "tls-server-end-point"])
        try run("printf zhang | $L $S $P; printf zhang | $L $S $P --require-channel-binding")
        var outcome = try run("printf zhang | $L $E $P", 77)
        XCTAssertTrue(outcome.errors.uppercased().contains("ED25519"), outcome.errors)
        outcome = try run("printf zhang | $L $R $P --require-channel-binding", 77)
        XCTAssertTrue(outcome.errors.contains("another connection or certificate"), outcome.errors)
        outcome = try run("printf zhang | $L $U $P --require-channel-binding", 77)
        XCTAssertTrue(outcome.errors.contains("no TLS"), outcome.errors)
        try set(["binding": "tls-exporter"])
        try run(
            "printf zhang | $L $S --session exporter --channel-binding exporter --require-channel-binding"
        )
        // The session of the certificate is not given up for none.
        outcome = try run("printf zhang | $L $S", 77)
        XCTAssertTrue(outcome.errors.contains("--allow-mechanism-downgrade"), outcome.errors)
    }

    func testSessionDoesNotGoBackUnlessItIsAllowed() throws {
        try run("printf zhang | $L $U")
        let form = "printf zhang | credkit login $U --user alice --mechanism form"
        let outcome = try run(form, 77)
        XCTAssertTrue(outcome.errors.contains("--allow-mechanism-downgrade"), outcome.errors)
        // This server has no form.
        try run(form + " --allow-mechanism-downgrade", 65)
        // After a logout there is nothing to go back from.
        try run("credkit logout --session $U; \(form)", 65)
    }

    func testOptionsThatDoNotFit() throws {
        for options in [
            "--mechanism form --channel-binding exporter", "--mechanism scram --require-channel-binding",
            "--mechanism scram --channel-binding none --require-channel-binding",
            "--mechanism scram --channel-binding tls-unique", "--mechanism scram --time-zone UTC",
            "--profile x.json --channel-binding exporter", "--mechanism form --key-phrase a",
        ] {
            try run("credkit login $U --user alice \(options) </dev/null", 64)
        }
    }
}
