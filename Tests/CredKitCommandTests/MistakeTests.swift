// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Mistakes that people make, each of which ends with a message that names the way out.
final class MistakeTests: XCTestCase {
    private typealias Mistake = (line: String, status: Int32, way: String)

    /// A word that is no command, or another tool's.
    private static let words: [Mistake] = [
        ("hsah md5 file", 64, "did you mean 'hash'?"),
        ("help hsah", 64, "did you mean 'hash'?"),
        ("md5 file", 64, "did you mean 'credkit hash md5'?"),
        ("md5sum file", 64, "did you mean 'credkit hash md5'?"),
        ("get com.example.app alice", 64, "did you mean 'credkit keychain get'?"),
        ("list", 64, "did you mean 'credkit keychain list'?"),
        ("version", 64, "did you mean 'credkit --version'?"),
        ("-v", 64, "did you mean 'credkit --version'?"),
        ("check file", 64, "did you mean 'credkit verify'?"),
        ("decode file", 64, "did you mean 'credkit base64 -d'?"),
        ("frobnicate", 64, "There are base64, hash, verify"),
        ("hash argon2 file", 64, "did you mean 'argon2id'?"),
        ("hash argon2i", 64, "verified only"),
        ("hash sha3-256 file", 64, "use 'credkit hash sha256'"),
        ("hash frobnicate", 64, "There are md5, sha1"),
        ("hash file", 64, "give 'credkit hash sha256 FILE'"),
        ("hash ./file", 64, "give 'credkit hash sha256 FILE'"),
        ("hash -", 64, "give 'credkit hash sha256 FILE'"),
        ("sign file", 64, "--with"),
        ("sign verify file", 64, "--with"),
        ("sign --with hmac-sha256:k=file message --key k", 64, "--key"),
        ("keychain ls", 64, "did you mean 'credkit keychain list'?"),
        ("keychain add a b", 64, "did you mean 'credkit keychain set'?"),
        ("keychain insert a/b", 64, "did you mean 'credkit keychain set'?"),
        ("keychain gte a b", 64, "did you mean 'get'?"),
        ("otp show a b", 64, "did you mean 'credkit otp code'?"),
    ]

    /// An option, a value or an argument that is not as it should be.
    private static let arguments: [Mistake] = [
        ("verify --hash-fil file", 64, "Did you mean '--hash-file'?"),
        ("generate 20", 64, "--length"),
        ("logout work", 64, "--session"),
        ("upgrade table", 64, "--input"),
        ("hash argon2id --memory 64", 64, "64MiB"),
        ("calibrate argon2id --target 250", 64, "250ms"),
        ("calibrate argon", 64, "argon2id"),
        ("keychain get a b --backend valt", 64, "'vault'"),
        ("keychain search service", 64, "name=value"),
        ("keychain move --from vault --to vault", 64, "the same store"),
        ("hash hmac-md5 file", 64, "--key-file"),
        ("hash hmac-md5 --key k --check 00 file", 64, "32 hexadecimal digits"),
        ("hash hmac-md5 --key k --quiet file", 64, "--check"),
        ("hash hmac-md5 --key k -c 00112233445566778899aabbccddeeff file file", 64, "one file"),
        ("hash hmac-md5 --key k -c 00112233445566778899aabbccddeeff --base64 file", 64, "--base64"),
        ("sign webhook github file", 64, "--key-file"),
        ("sign webhook slack --key-file file", 64, "'github'"),
        ("sign webhook standard --key-file file", 64, "--id"),
        ("sign webhook github --key-file file --at 5 file", 64, "--at has no meaning for github"),
        ("sign verify webhook github --key-file file --tolerance 5m file", 64, "--tolerance"),
        ("sign verify webhook github --key-file -", 64, "the same input"),
        ("sign verify webhook github --key-file file file", 65, "-H if the file is the body alone"),
        ("sign webhook standard --id a --key-file file file", 65, "Base64 of 24 to 64 bytes"),
        ("sign webhook standard --id a.b --key-file key file", 64, "without a full stop"),
        ("login https://example.com --user a", 64, "--key-phrase"),
        ("login https://example.com --user a --password hunter2", 64, "the prompt"),
        ("hash argon2id --password=hunter2", 64, "the prompt"),
        ("hash argon2id hunter2", 64, "--password-file"),
        ("request example.com", 64, "https://"),
        ("request -k https://example.com", 64, "--cacert"),
        ("request https://example.com --insecure", 64, "--cacert"),
    ]

    /// A hash that is something else.
    private static let hashes: [Mistake] = [
        (#"verify "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy""#, 65, "single quotes"),
        (#"verify "$2y$05$bvIG6Nmid91Mu9RcmmWZfO5HJIMCT8riNW0hEp8f6/FuA2/mHZFpe""#, 65, "single quotes"),
        (#"verify "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA""#, 65, "single quotes"),
        (#"inspect "$6$salt$digest""#, 65, "single quotes"),
        (#"inspect '"$1$abc$iCQ2D3nhptRYi27fDYv2s1"'"#, 65, "quotation marks"),
        ("verify file", 65, "--hash-file"),
        ("verify 'alice:$1$abc$iCQ2D3nhptRYi27fDYv2s1'", 65, "the hash alone"),
        ("verify 5f4dcc3b5aa765d61d8327deb882cf99", 65, "--as md5, salted-md5, ntlm or hmac-md5"),
        ("verify aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d", 65, "--as sha1"),
        ("inspect 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", 65, "--as sha256"),
        ("verify 5f4dcc3b5aa765d61d8327deb882cf9", 65, "31 characters"),
        ("verify --hash-file 5f4dcc3b5aa765d61d8327deb882cf99", 74, "without --hash-file"),
        ("verify --hash-file '$1$abc$iCQ2D3nhptRYi27fDYv2s1'", 74, "without --hash-file"),
        ("verify --as salted-md5 5f4dcc3b5aa765d61d8327deb882cf99", 64, "--salt"),
    ]

    /// Something that is missing.
    private static let surroundings: [Mistake] = [
        ("keychain set a b --backend vault", 77, "--passphrase-file"),
        ("keychain get a b --backend secret-service", 69, "dbus-run-session"),
        ("upgrade --input nosuch --output new", 74, "nosuch: No such file or directory"),
        ("upgrade --input file --output file", 73, "is not overwritten"),
    ]

    func testEachMistakeNamesTheWayOut() throws {
        let mistakes = Self.words + Self.arguments + Self.hashes + Self.surroundings
        XCTAssertGreaterThanOrEqual(mistakes.count, 40)
        let shell = try Shell()
        defer { shell.remove() }
        for mistake in mistakes {
            let outcome = try shell.run(
                """
                printf text > file; printf %032d 0 > key; unset CREDKIT_PASSPHRASE CREDKIT_BACKEND DBUS_SESSION_BUS_ADDRESS
                export XDG_RUNTIME_DIR=$PWD
                credkit \(mistake.line) < /dev/null
                """
            )
            XCTAssertEqual(outcome.status, mistake.status, mistake.line)
            XCTAssertTrue(outcome.errors.contains(mistake.way), "\(mistake.line): \(outcome.errors)")
            XCTAssertEqual(outcome.text, "", mistake.line)
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
        }
    }

    func testWaitingForInputAtATerminalSaysSo() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let session = try TerminalSession(
            shell,
            ["credkit", "hash", "md5"],
            [["ends the input)", "abc\n\u{4}"]]
        )
        XCTAssertEqual(session.status, 0, session.screen)
        XCTAssertTrue(session.screen.contains("0bee89b07a248e27c83fc3d5951213c1  -"), session.screen)
    }
}
