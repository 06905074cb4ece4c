// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Every exit status that scripts may rely on, by command.
final class ExitCodeTests: XCTestCase {
    func testExitCodesAreThoseOfTheTable() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let server = try LoginServer(shell)
        defer { server.stop() }
        _ = try shell.run(
            """
            printf x > file; printf '%032d  file\\n' 0 > wrong; mkdir folder; echo junk > junk.vault; chmod 600 junk.vault
            printf s3cret | credkit keychain set s a
            printf 'a:$1$abc$iCQ2D3nhptRYi27fDYv2s1\\n' > table; echo old > old; printf 'a:?\\n' > unknown
            """
        )
        let url = "http://127.0.0.1:\(server.port)"
        let hash = "'$1$abc$iCQ2D3nhptRYi27fDYv2s1'"
        for (status, lines) in [
            (
                0,
                [
                    "base64 file", "hash md5 file", "verify \(hash) --password-file <(printf secret)",
                    "--help",
                    "users table list", "run --env A=s/a -- true",
                    "inspect \(hash)", "keychain get s a", "request \(url)/bytes", "sessions",
                ]
            ),
            (
                1,
                [
                    "base64 -d file", "base64 missing", "hash md5 missing", "hash md5 -c wrong",
                    "verify \(hash) --password-file file", "keychain get nothing", "keychain delete nothing",
                    "otp code nothing", "users table delete b", "users table verify a --password-file file",
                    "run --env A=nothing/a -- true",
                    "keychain list service=nothing", "keychain list nothing", "request \(url)/nowhere",
                    "logout",
                ]
            ),
            (
                64,
                [
                    "nonsense", "base64 a b", "hash md5 --nonsense", "verify", "inspect a b", "keychain get",
                    "keychain move --from vault --to vault", "login \(url)", "request", "calibrate nonsense",
                    "upgrade --input table", "hash argon2id --passes 0",
                    "users table", "users table list a", "users table set a:b", "run --env A=s/a",
                    "run -- true",
                ]
            ),
            (
                65,
                [
                    "verify nonsense --password-file file", "inspect nonsense",
                    "users unknown list",
                    "keychain get s --vault junk.vault", "otp add s --secret-file file",
                    "keychain import file", "upgrade --input unknown --output out",
                    "hash argon2id --memory 600MiB --password-file file",
                    "login \(url) --user a --profile file --password-file file",
                ]
            ),
            (
                69,
                [
                    "keychain get s --backend secret-service", "request http://127.0.0.1:1/",
                    "login http://127.0.0.1:1 --user a --mechanism form --password-file file",
                ]
            ),
            (
                73,
                [
                    "base64 -o missing/out file", "request \(url)/bytes -o missing/out",
                    "keychain export old --archive-passphrase-file file",
                    "upgrade --input table --output old --allow-incompatible",
                ]
            ),
            (
                74,
                [
                    "verify \(hash) --password-file missing", "hash hmac-md5 --key k missing",
                    "inspect < folder",
                    "upgrade --input missing --output out", "request \(url)/bytes > /dev/full",
                ]
            ),
            (126, ["run --env A=s/a -- ./folder"]),
            (127, ["run --env A=s/a -- ./missing"]),
            (
                77,
                [
                    "keychain get s a --passphrase-file file --no-prompt", "request http://192.0.2.1/",
                    "login \(url) --user alice --key-phrase itheima --password-file file",
                ]
            ),
        ] as [(Int32, [String])] {
            for line in lines {
                let input = line.contains("<") ? "" : " < /dev/null"
                let outcome = try shell.run("credkit \(line)\(input)")
                XCTAssertEqual(outcome.status, status, "\(line): \(outcome.errors)")
            }
        }
        // 75: another process holds the lock, or there is not enough memory.
        let locked = try shell.run(
            "(ulimit -v 180000; credkit hash argon2id --memory 256MiB --password-file file)"
        )
        XCTAssertEqual(locked.status, 75, locked.errors)
    }
}
