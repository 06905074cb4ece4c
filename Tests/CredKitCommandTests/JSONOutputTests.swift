// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// The keys that `--json` prints are those of docs/json.md.
final class JSONOutputTests: XCTestCase {
    private struct Key {
        let type: String
        let isOptional: Bool
    }

    private var shell: Shell!
    private var documented: [String: [String: Key]] = [:]

    override func setUpWithError() throws {
        shell = try Shell()
        documented = try Self.readDocumentation()
    }

    override func tearDown() { shell.remove() }

    /// Returns the keys of each command in docs/json.md, from its lines "- `key`, `key` (type, optional): meaning". Without a
    /// type, the value is a string.
    private static func readDocumentation() throws -> [String: [String: Key]] {
        let file = TestScripts.root.appendingPathComponent("docs/json.md")
        var result: [String: [String: Key]] = [:]
        for section in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## ")
            .dropFirst()
        {
            let lines = section.components(separatedBy: "\n")
            var keys: [String: Key] = [:]
            for line in lines where line.hasPrefix("- `") {
                let parts = line.components(separatedBy: ":")[0].components(separatedBy: " (")
                let words = parts.count > 1 ? parts[1].dropLast().components(separatedBy: ", ") : []
                let key = Key(
                    type: words.first { $0 != "optional" } ?? "string",
                    isOptional: words.contains("optional")
                )
                for name in parts[0].dropFirst(2).components(separatedBy: ", ") {
                    keys[name.filter { $0 != "`" }] = key
                }
            }
            for command in lines[0].components(separatedBy: ", ") {
                result[command.filter { $0 != "`" }] = keys
            }
        }
        return result
    }

    /// Runs a script, and compares each line of its output with the documentation of a command.
    private func check(_ command: String, _ script: String, status: Int32 = 0, line: UInt = #line) throws {
        let outcome = try shell.run(script)
        XCTAssertEqual(outcome.status, status, outcome.errors, line: line)
        let keys = try XCTUnwrap(documented[command], command, line: line)
        let lines = outcome.text.split(separator: "\n")
        XCTAssertFalse(lines.isEmpty, script, line: line)
        for text in lines {
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let found = Self.types(try XCTUnwrap(object), keys)
            for (key, type) in found {
                XCTAssertEqual(keys[key]?.type, type, "\(command): \(key) in \(text)", line: line)
            }
            for (key, entry) in keys where !entry.isOptional {
                XCTAssertNotNil(found[key], "\(command): there is no \(key) in \(text)", line: line)
            }
        }
    }

    private static func types(_ object: [String: Any], _ keys: [String: Key]) -> [String: String] {
        var types: [String: String] = [:]
        for (key, value) in object {
            switch value {
            case is String: types[key] = "string"
            case is [String]: types[key] = "array"
            case let number as NSNumber:
                // Foundation bridges booleans to numbers of one byte.
                types[key] = String(cString: number.objCType) == "c" ? "boolean" : "number"
            case let array as [[String: Any]]:
                for element in array {
                    for (inner, type) in self.types(element, keys) { types["\(key)[].\(inner)"] = type }
                }
            case is [Any]: types[key] = "array"
            default: types[key] = "object"
            }
        }
        return types
    }

    func testPrintedKeysAreDocumented() throws {
        _ = try shell.run("printf abc > file; printf 'a:$1$abc$iCQ2D3nhptRYi27fDYv2s1\\n' > htpasswd")
        for name in ["md5", "sha1", "sha256", "sha384", "sha512"] {
            try check("hash \(name)", "credkit hash \(name) --json file")
            try check(
                "hash \(name) --check",
                "{ credkit hash \(name) file; credkit hash \(name) file | sed 's/file/gone/'; } | credkit hash \(name) -c --json",
                status: 1
            )
        }
        for name in ["md5", "sha256", "sha512"] {
            try check("hash hmac-\(name)", "credkit hash hmac-\(name) --key k --json file")
            try check(
                "hash hmac-\(name) --check",
                "credkit hash hmac-\(name) --key k --json file --check $(credkit hash hmac-\(name) --key k file)"
            )
        }
        for costs in [
            "argon2id --memory 64KiB", "scrypt --cost 4", "bcrypt --cost 4",
            "yescrypt --cost 1", "sha512-crypt --rounds 1000", "sha256-crypt --rounds 1000",
            "pbkdf2-sha256 --iterations 10", "pbkdf2-sha512 --iterations 10",
            "scram-sha-256 --iterations 4096", "scram-sha-512 --iterations 4096",
        ] { try check("hash \(costs.split(separator: " ")[0])", "printf p | credkit hash \(costs) --json") }
        try check("hash legacy salted-md5", "printf p | credkit hash legacy salted-md5 --salt x --json")
        for way in ["--now", "--at '2026-01-02 03:04'", "--password-equivalent"] {
            try check(
                "hash legacy timestamp",
                "printf p | credkit hash legacy timestamp --key-phrase k --json \(way)"
            )
        }
        try check(
            "verify",
            "printf p | credkit verify --json '$1$abc$iCQ2D3nhptRYi27fDYv2s1'",
            status: 1
        )
        for hash in [
            "'$1$abc$iCQ2D3nhptRYi27fDYv2s1'", "--as salted-md5 --salt shop f433c50293bc7afbe20b67ceb15a1e55",
            "\"$(printf p | credkit hash argon2id --memory 64KiB --pepper k=<(head -c 32 /dev/zero))\"",
            "\"$(printf p | credkit hash scrypt --cost 4)\"", "'{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ=='",
        ] { try check("inspect", "credkit inspect --json \(hash)") }
        try check("blocklist build", "printf a > words; credkit blocklist build --json --output filter words")
        try check("blocklist check", "printf a | credkit blocklist check --json --words words", status: 1)
        try check(
            "blocklist check --lines",
            "printf a | credkit blocklist check --lines --json --words words"
        )
        try check(
            "blocklist check --lines --count",
            "credkit blocklist check --lines -c --json --words words < words"
        )
        try check("generate", "credkit generate --json --length 12")
        let seed = "JBSWY3DPEHPK3PXP"
        let add = "printf \(seed) | credkit otp add"
        try check(
            "otp code",
            "\(add) o a; \(add) o --counter 1; credkit otp code o a --json; credkit otp code o --json"
        )
        try check("otp list", "credkit otp list --json")
        try check("otp uri", "credkit otp uri o a --json; credkit otp uri o --json")
        try check("otp verify", "credkit otp code o a | credkit otp verify o a --json")
        try check("otp verify", "echo 1 | credkit otp verify o a --json", status: 1)
        _ = try shell.run(
            "printf '%032d' 0 > key; printf 'GET /?a=1 HTTP/1.1\\nHost: h\\n\\n' > message; printf s > secret"
        )
        for key in ["hmac-sha256:k=key", "top=secret"] {
            try check(
                "sign verify message",
                "credkit sign --with \(key) message | credkit sign verify --json --with \(key)"
            )
        }
        try check("sign verify message", "credkit sign verify --json --with top=secret message", status: 1)
        try check(
            "sign verify webhook",
            """
            printf whsec_%032d 0 > secret
            for format in 'standard --id a' github stripe; do
                credkit sign webhook $format --key-file secret file > headers
                credkit sign verify webhook ${format% --*} --key-file secret -H @headers --json file
            done
            """
        )
        try check(
            "sign verify webhook",
            "credkit sign verify webhook github --key-file secret -H A:b --json file",
            status: 1
        )
        try check("users", "credkit users htpasswd list --json")
        try check("users", "printf secret | credkit users htpasswd verify a --json")
        try check("calibrate", "credkit calibrate bcrypt --target 20ms --json")
        try check("audit", "credkit audit htpasswd --memory 64KiB --passes 1 --json")
        try check(
            "upgrade",
            "printf 'a:97070e99c2efa11e14a1b6f5407b4209\\n' > equivalents; "
                + "credkit upgrade --as timestamp --to scram-sha-256 --iterations 4096 --input equivalents --output verifiers --json"
        )
        try check(
            "audit --to scram-sha-256",
            "credkit audit --as timestamp --to scram-sha-256 --iterations 4096 --json equivalents"
        )
        try check(
            "upgrade",
            "credkit upgrade --allow-incompatible --input htpasswd --output new --memory 64KiB --passes 1 --json"
        )
    }

    func testPrintedKeysOfTheKeychainAreDocumented() throws {
        _ = try shell.run(
            "printf s3cret | credkit keychain set s alice --attribute a=b; printf '\\xff' | credkit keychain set s"
        )
        try check(
            "keychain get",
            "credkit keychain get s alice --attribute a=b --json; credkit keychain get s --json"
        )
        try check("keychain list", "credkit keychain list --json")
        try check("keychain list", "credkit keychain list service=s --json")
        try check("keychain move", "credkit keychain move --keep --from vault --to ./copy --json")
        try check("keychain doctor", "credkit keychain doctor --deep --json")
        try check("keychain doctor", "credkit keychain doctor --accept-current --json")
        let vault = "bin/home/.local/share/credkit/keychain.vault"
        try check(
            "keychain doctor",
            """
            cp \(vault) old; printf x | credkit keychain set --replace s; cp old \(vault)
            credkit keychain doctor --accept-current --json
            """
        )
        try check("keychain doctor", "credkit keychain doctor --repair --json")
        try check("keychain doctor", "truncate -s 99 \(vault); credkit keychain doctor --repair --json")
        try check("keychain doctor", "credkit keychain doctor --json")
        XCTAssertEqual(try shell.run("credkit keychain doctor --quiet").text, "")
        try check(
            "keychain slot add",
            "head -c 32 /dev/urandom > key; chmod 600 key; credkit keychain slot add --new-key-file key --json"
        )
        try check("keychain slot list", "credkit keychain slot list --json")
    }

    func testPrintedKeysOfLoginsAreDocumented() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        try check("login", "printf 123456 | credkit login \(url) --user alice --key-phrase itheima --json")
        try check(
            "hash legacy timestamp",
            "printf p | credkit hash legacy timestamp --key-phrase k --json --server \(url)"
        )
        try check("sessions", "credkit sessions --json")
        try check(
            "sessions",
            "for f in bin/home/.local/state/credkit/sessions/*; do echo junk > $f; done; credkit sessions --json",
            status: 65
        )
    }

    func testEveryCommandWithJSONIsDocumented() throws {
        let printing = CommandTree.shared.help.filter {
            $0.value.contains("  --json ") && $0.key != "request"
        }
        XCTAssertEqual(
            Set(printing.keys),
            Set(documented.keys.filter { !$0.contains(" --") }),
            "docs/json.md"
        )
    }
}
