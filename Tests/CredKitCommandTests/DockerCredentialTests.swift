// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Docker's protocol, as defined in `credentials/credentials.go` and `credentials/error.go` of
/// docker/docker-credential-helpers.
final class DockerCredentialTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
        _ = try shell.run("ln -s credkit bin/docker-credential-credkit")
    }

    override func tearDown() { shell.remove() }

    private func exchange(_ action: String, _ input: String, _ status: Int32, _ output: String) throws {
        let outcome = try shell.run("printf %s '\(input)' | docker-credential-credkit \(action)")
        XCTAssertEqual(outcome.status, status, outcome.text + outcome.errors)
        XCTAssertEqual(outcome.text, output)
        XCTAssertEqual(outcome.errors, "")
    }

    func testStoreGetListErase() throws {
        let url = "https://index.docker.io/v1/"
        try exchange("store", #"{"ServerURL":"\#(url)","Username":"alice","Secret":"s3\ncret"}"#, 0, "")
        // The helper applies TrimSpace to its input.
        try exchange(
            "get",
            "  \(url)\n",
            0,
            #"{"Secret":"s3\ncret","ServerURL":"\#(url)","Username":"alice"}"# + "\n"
        )
        try exchange("store", #"{"ServerURL":"r.example","Username":"<token>","Secret":"t"}"#, 0, "")
        try exchange("list", "", 0, #"{"\#(url)":"alice","r.example":"<token>"}"# + "\n")
        try exchange("erase", url, 0, "")
        try exchange("get", url, 1, "credentials not found in native keychain\n")
        try exchange("list", "", 0, #"{"r.example":"<token>"}"# + "\n")
    }

    func testErrorsHaveTheMessagesThatDockerCompares() throws {
        // credentials/error.go
        try exchange("get", "https://r.example", 1, "credentials not found in native keychain\n")
        try exchange("get", " \n", 1, "no credentials server URL\n")
        try exchange("erase", "", 1, "no credentials server URL\n")
        try exchange("store", #"{"Username":"u","Secret":"s"}"#, 1, "no credentials server URL\n")
        try exchange("store", #"{"ServerURL":"r","Secret":"s"}"#, 1, "no credentials username\n")
        // HandleCommand of credentials/credentials.go
        try exchange("frob", "", 1, "docker-credential-credkit: unknown action: frob\n")
        try exchange("version", "", 0, "docker-credential-credkit (CredKit) 0.1.0\n")
    }

    func testServersAreComparedByBytes() throws {
        // A Kelvin sign, which Swift treats as a K.
        for (server, user) in [("K.example", "u"), ("\u{212A}.example", "v")] {
            try exchange("store", #"{"ServerURL":"\#(server)","Username":"\#(user)","Secret":"s"}"#, 0, "")
        }
        try exchange("list", "", 0, #"{"K.example":"u","\#("\u{212A}").example":"v"}"# + "\n")
        try exchange("erase", "\u{212A}.example", 0, "")
        try exchange("get", "\u{212A}.example", 1, "credentials not found in native keychain\n")
        try exchange("list", "", 0, #"{"K.example":"u"}"# + "\n")
    }

    func testLineBreaksAreRefused() throws {
        let message = "a server URL or user name must not contain a line feed, a carriage return or a NUL\n"
        for json in [
            #"{"ServerURL":"r\u000dx","Username":"u","Secret":"s"}"#,
            #"{"ServerURL":"r\u000ax","Username":"u","Secret":"s"}"#,
            #"{"ServerURL":"r","Username":"u\u000dv","Secret":"s"}"#,
            #"{"ServerURL":"r","Username":"u\u0000","Secret":"s"}"#,
        ] { try exchange("store", json, 1, message) }
        try exchange("get", "r\rx", 1, message)
        try exchange("list", "", 0, "{}\n")
        let malformed = try shell.run("printf 'r\\xff' | docker-credential-credkit get")
        XCTAssertEqual(malformed.text, "the server URL is not UTF-8\n")
        try exchange("store", #"{"ServerURL":"r.example","Username":"u","Secret":"a\u000db"}"#, 0, "")
        try exchange(
            "get",
            "\u{A0}r.ex\r\nample\r\n",
            0,
            #"{"Secret":"a\rb","ServerURL":"r.example","Username":"u"}"# + "\n"
        )
    }

    func testMalformedMessageIsNotRepeated() throws {
        let outcome = try shell.run("printf '{\"Secret\":\"hunter2' | docker-credential-credkit store")
        XCTAssertEqual(outcome.status, 1)
        XCTAssertFalse(outcome.text.isEmpty)
        XCTAssertFalse((outcome.text + outcome.errors).contains("hunter2"))
    }

    func testItemsOfOtherProgramsAreIgnored() throws {
        _ = try shell.run("printf x | credkit keychain set r.example alice")
        try exchange("list", "", 0, "{}\n")
        try exchange("erase", "r.example", 0, "")
        XCTAssertEqual(try shell.run("credkit keychain get r.example alice").text, "x")
    }

    func testLatestLoginAtAServerWins() throws {
        for user in ["bob", "alice"] {
            try exchange("store", #"{"ServerURL":"r","Username":"\#(user)","Secret":"s"}"#, 0, "")
            Thread.sleep(forTimeInterval: 0.05)
        }
        try exchange("get", "r", 0, #"{"Secret":"s","ServerURL":"r","Username":"alice"}"# + "\n")
        try exchange("erase", "r", 0, "")
        try exchange("list", "", 0, "{}\n")
    }

    func testLockedKeychainIsAnError() throws {
        try exchange("store", #"{"ServerURL":"r","Username":"u","Secret":"s"}"#, 0, "")
        let outcome = try shell.run("echo r | CREDKIT_PASSPHRASE=wrong docker-credential-credkit get")
        XCTAssertEqual(outcome.status, 1)
        XCTAssertTrue(outcome.text.contains("wrong passphrase or key"), outcome.text)
    }
}
