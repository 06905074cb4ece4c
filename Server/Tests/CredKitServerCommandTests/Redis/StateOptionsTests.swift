// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitServer
import CredKitTerminal
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitServerCommand

/// The options of the shared state.
final class StateOptionsTests: XCTestCase {
    private var folder: URL!

    override func setUpWithError() throws {
        folder = URL(fileURLWithPath: try TemporaryFolder.make())
    }

    override func tearDown() { try? FileManager.default.removeItem(at: folder) }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = folder.appending(component: name)
        try Data(bytes).write(to: file)
        return file.path
    }

    func testMemoryNeedsNothing() throws {
        XCTAssertFalse(try StateOptions.parse([]).isShared)
        XCTAssertFalse(try StateOptions.parse(["--state", "memory"]).isShared)
        for arguments in [
            ["--state-key-file", "k"], ["--state-user", "u"], ["--state-password-file", "p"],
            ["--state-ca", "c"],
            ["--state-client-cert", "c"], ["--state-client-key", "k"], ["--processes", "2"],
            ["--allow-insecure-state"],
        ] {
            XCTAssertThrowsError(try StateOptions.parse(arguments), arguments[0]) { error in
                XCTAssertTrue(StateOptions.message(for: error).hasPrefix(arguments[0]))
            }
        }
    }

    func testWhatIsMissingOrContradictsIsNamed() throws {
        let key = ["--state-key-file", "k"]
        for (arguments, expected) in [
            (["--state", "redis://localhost"], "--state-key-file"),
            (["--state", "redis://:s3cret@localhost"] + key, "--state-password-file"),
            (["--state", "s3cret"] + key, "not valid"),
            (
                ["--state", "redis://u@localhost", "--state-user", "v", "--state-password-file", "p"] + key,
                "twice"
            ),
            (["--state", "redis://u@localhost"] + key, "--state-password-file"),
            (["--state", "redis://localhost", "--state-ca", "c"] + key, "rediss"),
            (["--state", "redis://10.0.0.1"] + key, "--allow-insecure-state"),
            (["--state", "redis+sentinel://localhost,10.0.0.1/n"] + key, "--allow-insecure-state"),
            (["--state", "rediss://h", "--state-client-cert", "c"] + key, "together"),
            (["--state", "redis://localhost", "--processes", "0"] + key, "--processes"),
        ] {
            XCTAssertThrowsError(try StateOptions.parse(arguments), "\(arguments)") { error in
                let message = StateOptions.message(for: error)
                XCTAssertTrue(message.contains(expected), message)
                XCTAssertFalse(message.contains("s3cret"), message)
            }
        }
        for state in ["redis://localhost", "rediss://10.0.0.1", "unix:///a", "redis+sentinel://[::1]/n"] {
            XCTAssertNoThrow(try StateOptions.parse(["--state", state, "--processes", "4"] + key), state)
        }
        XCTAssertNoThrow(
            try StateOptions.parse(["--state", "redis://10.0.0.1", "--allow-insecure-state"] + key)
        )
        let postgreSQL = "postgresql://app@localhost/logins"
        XCTAssertNoThrow(try StateOptions.parse(["--state", postgreSQL, "--state-ca", "c"] + key))
        for (arguments, expected) in [
            (["--state", "postgresql://app:s3cret@localhost/logins"], "--state-password-file"),
            (["--state", "postgres://localhost/logins?password=s3cret"], "--state-password-file"),
            (["--state", postgreSQL, "--state-user", "u"], "sslcert"),
            (["--state", postgreSQL, "--state-client-cert", "c", "--state-client-key", "k"], "sslcert"),
            (["--state", postgreSQL, "--state-ca", "-"], "must be a file"),
        ] {
            XCTAssertThrowsError(try StateOptions.parse(arguments + key), "\(arguments)") { error in
                let message = StateOptions.message(for: error)
                XCTAssertTrue(message.contains(expected), message)
                XCTAssertFalse(message.contains("s3cret"), message)
            }
        }
        // The server is not certainly this machine, and would not be verified.
        for url in [
            "postgresql://db.example/logins?sslmode=require",
            "postgresql://localhost/?hostaddr=192.0.2.1&sslmode=prefer",
        ] {
            let options = try StateOptions.parse(["--state", url] + key)
            let settings = try options.settings(url)
            XCTAssertThrowsError(try PostgreSQLStateEngine(settings), url) { error in
                XCTAssertEqual((error as? SharedStateError)?.code, .unsafeSettings)
            }
        }
    }

    func testSecretsAreReadFromTheirFiles() throws {
        // A key may end with any byte, even with a line feed.
        let key = try file("key", Array(repeating: 10, count: 32))
        let password = try file("password", Array("s3cret\n".utf8))
        let options = try StateOptions.parse([
            "--state", "redis://app@localhost", "--state-key-file", key, "--state-password-file", password,
        ])
        XCTAssertNoThrow(try options.configuration())
        let settings = try options.redis()
        XCTAssertEqual(settings.login, Array("*3\r\n$4\r\nAUTH\r\n$3\r\napp\r\n$6\r\ns3cret\r\n".utf8))
        XCTAssertFalse("\(settings)".contains("s3cret"))

        for (name, bytes) in [("short", Array(repeating: 1, count: 31)), ("none", [])] as [(String, [UInt8])]
        {
            let options = try StateOptions.parse([
                "--state", "redis://localhost", "--state-key-file", try file(name, bytes),
            ])
            XCTAssertThrowsError(try options.configuration(), name) { error in
                XCTAssertEqual((error as? CommandFailure)?.status, .malformed)
            }
        }
        let empty = try StateOptions.parse([
            "--state", "redis://localhost", "--state-key-file", key, "--state-password-file",
            try file("e", [10]),
        ])
        XCTAssertThrowsError(try empty.redis())
        let missing = try StateOptions.parse([
            "--state", "redis://localhost", "--state-key-file", folder.path + "/missing",
        ])
        XCTAssertThrowsError(try missing.configuration()) { error in
            XCTAssertEqual((error as? CommandFailure)?.status, .inputOutput)
        }
    }

    func testDescriptorsAreTold() throws {
        let options = try StateOptions.parse([
            "--state", "redis://localhost", "--state-key-file", "/dev/fd/3", "--state-password-file", "-",
        ])
        XCTAssertEqual(Set(options.descriptors), [0, 3])
    }
}

extension StateOptions {
    fileprivate func redis() throws -> RedisSettings {
        guard case .redis(let address) = try address() else { throw XCTSkip("it is not Redis") }
        return try settings(address)
    }
}
