// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import XCTest

/// Components that keep secrets in one keychain, each under the names that another one would choose: none finds, replaces or
/// deletes the secret of another.
final class PurposeTests: ShellTestCase {
    /// How a component stores a secret for a server and `alice`, how it gets it, and how it deletes it.
    private struct Component {
        let name: String
        let store: String
        let get: String
        let delete: String
    }

    private static let ask = "printf 'url=%s\\n\\n' \"http://alice@${U#http://}\""
    private static let secret = "--attribute credkit-purpose=session-secret"
    private static let docker = "{\"ServerURL\":\"'$U'\",\"Username\":\"alice\",\"Secret\":\"of docker\"}"
    private static let components = [
        Component(
            name: "password",
            store: "printf 'of hand' | credkit keychain set $U alice",
            get: "credkit keychain get $U alice",
            delete: "credkit keychain delete $U alice"
        ),
        Component(
            name: "git",
            store:
                "printf 'url=%s\\npassword=of git\\n\\n' \"http://alice@${U#http://}\" | credkit git-credential store",
            get: "\(ask) | credkit git-credential get | sed -n 's/^password=//p'",
            delete: "\(ask) | credkit git-credential erase"
        ),
        Component(
            name: "docker",
            store: "printf '%s' '\(docker)' | credkit docker-credential store",
            get:
                "printf %s $U | credkit docker-credential get | sed -n 's/.*\"Secret\":\"\\([^\"]*\\)\".*/\\1/p'",
            delete: "printf %s $U | credkit docker-credential erase"
        ),
        Component(
            name: "otp",
            store:
                "printf 'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' | credkit otp add $U alice",
            get: "credkit otp uri $U alice",
            delete: "credkit otp delete $U alice"
        ),
        Component(
            name: "timestamp",
            store: "printf 123456 | credkit login $U --user alice --key-phrase itheima --session timestamp",
            get: "credkit keychain get $U alice --attribute mechanism=timestamped \(secret)",
            delete: "credkit logout --session timestamp"
        ),
        Component(
            name: "basic",
            store: "printf 'of basic' | credkit login $U --user alice --mechanism basic --session basic",
            get: "credkit keychain get $U alice --attribute mechanism=basic \(secret)",
            delete: "credkit logout --session basic"
        ),
        Component(
            name: "session key",
            store:
                "printf 'of the key' | credkit keychain set $U alice --attribute credkit-purpose=session-key",
            get: "credkit keychain get $U alice --attribute credkit-purpose=session-key",
            delete: "credkit keychain delete $U alice --attribute credkit-purpose=session-key"
        ),
    ]

    private var server: LoginServer!

    override func tearDown() {
        server?.stop()
        super.tearDown()
    }

    func testEachPairKeepsItsSecrets() throws {
        server = try LoginServer(shell, [])
        prefix = "U=http://127.0.0.1:\(server.port)\n"
        var secrets: [String: String] = [:]
        for component in Self.components {
            try run(component.store)
            secrets[component.name] = try run(component.get).text
            XCTAssertNotEqual(secrets[component.name], "", component.name)
            try run(component.delete)
            XCTAssertEqual(try shell.run(prefix + component.get).text, "", component.name)
            XCTAssertEqual(try run("credkit keychain list").text, "", component.name)
        }
        XCTAssertEqual(Set(secrets.values).count, Self.components.count)
        for first in Self.components {
            for second in Self.components where second.name != first.name {
                let pair = "\(first.name), \(second.name)"
                try run(first.store)
                XCTAssertEqual(try shell.run(prefix + second.get).text, "", pair)
                try run(second.store)
                XCTAssertEqual(try run(first.get).text, secrets[first.name], pair)
                XCTAssertEqual(try run(second.get).text, secrets[second.name], pair)
                try run(second.delete)
                XCTAssertEqual(try run(first.get).text, secrets[first.name], pair)
                try run(first.delete)
                XCTAssertEqual(try run("credkit keychain list").text, "", pair)
            }
        }
    }
}
