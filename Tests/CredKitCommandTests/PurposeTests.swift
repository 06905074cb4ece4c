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

    /// Checks each pair, and prints what is wrong. A secret that is not found is no text.
    private func script() throws -> String {
        server = try LoginServer(shell, [])
        var lines = [
            "U=http://127.0.0.1:\(server.port)", "is() { [ \"$2\" = \"$3\" ] || echo \"$1: $2, not $3\"; }",
        ]
        for (index, component) in Self.components.enumerated() {
            lines += [
                "store\(index)() { \(component.store) > /dev/null || echo 'not stored: \(component.name)'; }",
                "get\(index)() { \(component.get) 2> /dev/null; }",
                "delete\(index)() { \(component.delete) > /dev/null || echo 'not deleted: \(component.name)'; }",
                "store\(index); secret\(index)=$(get\(index)); delete\(index)",
                "[ -n \"$secret\(index)\" ] || echo 'no secret: \(component.name)'",
                "is 'after deletion of \(component.name)' \"$(get\(index))\" ''",
            ]
        }
        let secrets = Self.components.indices.map { "\"$secret\($0)\"" }.joined(separator: " ")
        lines.append("is 'equal secrets' \"$(printf '%s\\n' \(secrets) | sort | uniq -d)\" ''")
        for first in Self.components.indices {
            for second in Self.components.indices where second != first {
                let pair = "\(Self.components[first].name), \(Self.components[second].name)"
                lines += [
                    "store\(first); is '\(pair): before' \"$(get\(second))\" ''",
                    "store\(second); is '\(pair): first' \"$(get\(first))\" \"$secret\(first)\"",
                    "is '\(pair): second' \"$(get\(second))\" \"$secret\(second)\"; delete\(second)",
                    "is '\(pair): left' \"$(get\(first))\" \"$secret\(first)\"; delete\(first)",
                    "is '\(pair): rest' \"$(credkit keychain list)\" ''",
                ]
            }
        }
        return lines.joined(separator: "\n")
    }

    func testEachPairKeepsItsSecretsInAVault() throws {
        let outcome = try run(script())
        XCTAssertEqual(outcome.text, "", outcome.errors)
    }

    func testEachPairKeepsItsSecretsInTheSecretService() throws {
        let doctor = try shell.run(SecretServiceCommandTests.session("credkit keychain doctor --json")).text
        guard doctor.contains(#""name":"collection","state":"ok""#) else {
            throw XCTSkip("there is no gnome-keyring that can be started here: \(doctor)")
        }
        let outcome = try run(SecretServiceCommandTests.session(script()))
        XCTAssertEqual(outcome.text, "", outcome.errors)
    }

    func testMoveSaysThatHelpersDoNotFindTheirItems() throws {
        let outcome = try run(
            SecretServiceCommandTests.session(
                """
                export CREDKIT_BACKEND=vault
                echo url=https://bob:pw@example.com | credkit git-credential store
                printf s3cret | credkit keychain set svc alice
                credkit keychain move --from vault --to secret-service --dry-run 2>&1 > /dev/null | grep helper
                """
            )
        )
        XCTAssert(outcome.text.contains("not kept: helper of"), outcome.text)
        XCTAssert(outcome.text.contains("let it store its password there once more"), outcome.text)
        XCTAssertFalse(outcome.text.contains("svc"), outcome.text)
    }
}
