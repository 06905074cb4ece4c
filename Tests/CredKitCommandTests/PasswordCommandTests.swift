// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

final class PasswordCommandTests: XCTestCase {
    private var shell: Shell?

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell?.remove() }

    private func run(_ script: String) throws -> Shell.Outcome { try XCTUnwrap(shell).run(script) }

    private func expect(
        _ script: String,
        _ output: String,
        status: Int32 = 0,
        message: String = "",
        line: UInt = #line
    ) throws {
        let outcome = try run(script)
        XCTAssertEqual(outcome.text, output, "\(script): \(outcome.errors)", line: line)
        XCTAssertEqual(outcome.status, status, "\(script): \(outcome.errors)", line: line)
        if message.isEmpty {
            XCTAssertEqual(outcome.errors, "", script, line: line)
        } else {
            XCTAssertTrue(outcome.errors.contains(message), "\(script): \(outcome.errors)", line: line)
        }
    }

    private let md5Crypt = "'$1$abc$iCQ2D3nhptRYi27fDYv2s1'"

    func testEverySchemeHashesAndVerifiesInAPipe() throws {
        for scheme in [
            "argon2id --memory 64KiB --passes 1 --lanes 1",
            "scrypt --cost 4 --block-size 8 --parallelism 2", "bcrypt --cost 4", "yescrypt --cost 1",
            "sha512-crypt --rounds 1000", "sha256-crypt --rounds 1000", "pbkdf2-sha256 --iterations 10",
            "pbkdf2-sha512 --iterations 10", "scram-sha-256 --iterations 4096",
            "scram-sha-256 --iterations 4096 --form dovecot",
            "scram-sha-512 --iterations 4096 --preparation postgresql",
        ] {
            try expect(
                "printf secret | credkit hash \(scheme) > hash; printf secret | credkit verify --hash-file hash",
                "match\n"
            )
            try expect("printf Secret | credkit verify \"$(cat hash)\"", "mismatch\n", status: 1)
            try expect("printf secret | credkit verify --quiet \"$(cat hash)\"", "")
            try expect("printf Secret | credkit verify -q \"$(cat hash)\"", "", status: 1)
        }
    }

    func testOneTrailingLineFeedIsRemovedFromPasswords() throws {
        try expect("echo secret | credkit verify \(md5Crypt)", "match\n")
        try expect("printf 'secret\\n\\n' | credkit verify \(md5Crypt)", "mismatch\n", status: 1)
        try expect("echo secret | credkit verify --raw \(md5Crypt)", "mismatch\n", status: 1)
        try expect("echo secret > p; credkit verify --password-file p \(md5Crypt)", "match\n")
        try expect("credkit verify --password-fd 3 \(md5Crypt) 3< <(printf secret)", "match\n")
    }

    func testCostsAreAsRequested() throws {
        let outcome = try run(
            "printf p | credkit hash argon2id --memory 1MiB --passes 4; printf p | credkit hash argon2id --memory 100KiB --passes 1"
        )
        XCTAssertTrue(outcome.text.hasPrefix("$argon2id$v=19$m=1024,t=4,p=1$"), outcome.text)
        XCTAssertTrue(outcome.text.contains("\n$argon2id$v=19$m=100,t=1,p=1$"), outcome.text)
        for costs in [
            "--passes 0", "--passes x", "--passes=", "=3", "--rounds 5", "secret", "--memory 1TiB",
            "--memory=-1",
            "--memory 64", "--lanes 2", "passes=1", "secret=1",
        ] {
            let outcome = try run("printf p | credkit hash argon2id \(costs)")
            XCTAssertEqual(outcome.status, 64, costs)
            XCTAssertEqual(outcome.text, "", costs)
            XCTAssertFalse(outcome.errors.contains("secret"), outcome.errors)
        }
    }

    func testPasswordsNeverStandOnTheCommandLine() throws {
        for command in ["verify \(md5Crypt) hunter2", "hash bcrypt hunter2", "inspect \(md5Crypt) hunter2"] {
            let outcome = try run("credkit \(command) < /dev/null")
            XCTAssertEqual(outcome.status, 64, command)
            XCTAssertTrue(outcome.errors.contains("never given on the command line"), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
        }
    }

    func testUnverifiableHashesAreNotMismatches() throws {
        for (hash, message) in [
            ("", "unrecognized hash format"),
            ("f433c50293bc7afbe20b67ceb15a1e55", "unrecognized hash format"),
            ("$1$abc$iCQ2D3nhptRYi27fDYv2s1x", "malformed hash"),
            ("$argon2d$v=19$m=8,t=1,p=1,keyid=QUJD$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", "unsupported hash"),
            ("$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", "over the limit"),
            ("$2b$31$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u", "over the limit"),
            (
                "$pepper-hmac-sha256$keyid=k$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
                "no pepper key is available"
            ),
        ] {
            try expect("printf secret | credkit verify '\(hash)'", "", status: 65, message: message)
        }
        try expect(
            "head -c 600 /dev/zero | tr '\\0' x | credkit verify \(md5Crypt)",
            "",
            status: 65,
            message: "at most 511 bytes"
        )
        try expect("printf 'a\\0b' | credkit verify \(md5Crypt)", "", status: 65, message: "NUL")
        try expect(
            "head -c 5000 /dev/zero | credkit hash argon2id",
            "",
            status: 65,
            message: "at most 4096 bytes"
        )
        try expect(
            "head -c 73 /dev/zero | tr '\\0' x | credkit hash bcrypt --cost 4",
            "",
            status: 65,
            message: "at most 72 bytes"
        )
    }

    /// libsodium reports a lack of memory like a wrong password, and libxcrypt like any other failure.
    func testLackOfMemoryIsNotAMismatch() throws {
        let digest = String(repeating: "A", count: 43)
        for hash in [
            "$argon2id$v=19$m=262144,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$\(digest)",
            "$argon2id$v=19$m=262144,t=1,p=2$c29tZXNhbHRzb21lc2FsdA$\(digest)",
            "$argon2i$v=19$m=262144,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$\(digest)",
            "$argon2i$v=19$m=262144,t=1,p=1$c29tZXNhbHQ$\(digest)", "$scrypt$ln=18,r=8,p=1$c2FsdA$\(digest)",
            "$y$jAT$abcdefgh$IUWJt2doU4Kf6E/JP1UkAT3S5O3Q7SSA8SJirXIlEu9".replacingOccurrences(
                of: "$jA",
                with: "$jD"
            ),
        ] {
            try expect("printf secret | credkit verify '\(hash)'", "mismatch\n", status: 1)
            try expect(
                "printf secret | (ulimit -v 180000; credkit verify '\(hash)')",
                "",
                status: 75,
                message: "not enough memory"
            )
        }
    }

    func testLimitsCanBeRaisedAndLowered() throws {
        try expect(
            "printf p | credkit hash argon2id --memory 2MiB --passes 1 > h; printf p | credkit verify --hash-file h --memory-limit 1GiB",
            "match\n"
        )
        try expect(
            "printf p | credkit verify --hash-file h --memory-limit 1MiB",
            "",
            status: 65,
            message: "over the limit"
        )
        try expect(
            "printf p | credkit verify --hash-file h --time-limit 0.0001",
            "",
            status: 65,
            message: "over the limit"
        )
        try expect(
            "printf p | credkit hash argon2id --memory 600MiB --passes 1",
            "",
            status: 65,
            message: "over the limit"
        )
        // Verifying does not need the memory that a new hash would.
        try expect("printf secret | credkit verify --memory-limit 64KiB \(md5Crypt)", "match\n")
        for limit in ["0", "-1", "nan", "inf", "x"] {
            try expect(
                "printf p | credkit verify --hash-file h --time-limit=\(limit)",
                "",
                status: 64,
                message: "--time-limit"
            )
        }
        try expect(
            "printf p | credkit verify --hash-file h --memory-limit much",
            "",
            status: 64,
            message: "--memory-limit"
        )
    }

    func testBareHashesAreDeclaredByOption() throws {
        try expect(
            "printf secret | credkit verify --as salted-md5 --salt shop f433c50293bc7afbe20b67ceb15a1e55",
            "match\n"
        )
        try expect(
            "printf secret | credkit verify --as salted-md5 --salt shop --position prefix f2168be713eb9429b4d9c3a7c574daac",
            "match\n"
        )
        try expect(
            "printf 123456 | credkit verify --as md5 --rounds 2 14E1B600B1FD579F47433B88E8D85291",
            "match\n"
        )
        try expect(
            "printf secret | credkit verify --as md5 f433c50293bc7afbe20b67ceb15a1e55",
            "mismatch\n",
            status: 1
        )
        for (options, hash) in [
            ("--as sha1 --rounds 3", "2a789497c1b4cd581427145b24a6cbb2ca68790c"),
            (
                "--as salted-sha256 --salt shop",
                "01c2a5ea24895c3c6275ffe2a1ad662f561feebe5f037e6eb2aff70a22a83566"
            ),
            (
                "--as salted-sha512 --salt shop --position prefix",
                "6e4e84ced3006ab8066f08120b1e18d0782fe2367ec1b4bf96323f738dc839e5"
                    + "1a108e56066469fb8ae39f5e25ce2427b34da6f9111e6f7573ae40f07c0e56c9"
            ),
            ("--as ntlm", "878D8014606CDA29677A44EFA1353FC7"),
        ] {
            try expect("printf secret | credkit verify \(options) \(hash)", "match\n")
            try expect("printf Secret | credkit verify \(options) \(hash)", "mismatch\n", status: 1)
        }
        for (count, options) in [
            (32, "--as md5, salted-md5, ntlm or hmac-md5"), (40, "--as sha1 or salted-sha1"),
            (64, "--as sha256 or salted-sha256"), (96, "--as sha384 or salted-sha384"),
            (128, "--as sha512 or salted-sha512"),
        ] {
            let digits = String(repeating: "a", count: count)
            try expect("printf p | credkit verify \(digits)", "", status: 65, message: options)
        }
        try expect(
            "printf p | credkit verify --as sha1 14E1B600B1FD579F47433B88E8D85291",
            "",
            status: 65,
            message: "must be 40"
        )
        let hmac = "printf hashcat | credkit verify --as hmac-md5 7f51edecfa6fb401a0b5e63d33fc8c0e"
        try expect("\(hmac) --key-id app --legacy-key app=<(printf 84143)", "match\n")
        try expect("\(hmac) --key-id app --legacy-key app=<(printf 84144)", "mismatch\n", status: 1)
        try expect("\(hmac) --key-id app", "", status: 65, message: "'app'")
        try expect("\(hmac)", "", status: 64, message: "--key-id")
        try expect("printf p | credkit verify --as argon2id x", "", status: 64, message: "--as")
        try expect("printf p | credkit verify --salt x '$1$'", "", status: 64, message: "--as")
        try expect("printf p | credkit verify --as ntlm --rounds 2 x", "", status: 64, message: "--rounds")
        try expect("printf p | credkit verify --as sha1 --salt x y", "", status: 64, message: "--salt")
        try expect("printf p | credkit verify --as salted-sha1 y", "", status: 64, message: "salted-sha1")
    }

    func testPepperOptions() throws {
        try expect(
            """
            head -c 32 /dev/urandom > old; head -c 32 /dev/urandom > new
            printf p | credkit hash argon2id --memory 64KiB --passes 1 --pepper 1=old > h
            printf p | credkit verify --hash-file h --pepper 2=new --pepper 1=old --json
            """,
            #"{"policy":"weaker","result":"match","scheme":"argon2id"}"# + "\n"
        )
        try expect("printf p | credkit verify --hash-file h --pepper 2=new", "", status: 65, message: "'1'")
        try expect(
            "printf p | credkit hash argon2id --pepper 1=<(printf short)",
            "",
            status: 65,
            message: "less than 16 bytes"
        )
        try expect("printf p | credkit hash argon2id --pepper old", "", status: 64, message: "--pepper")
        try expect(
            "printf p | credkit hash argon2id --pepper 1=-",
            "",
            status: 64,
            message: "Two values cannot come from the same input"
        )
        try expect(
            "printf p | credkit hash argon2id --pepper 1=nothing",
            "",
            status: 74,
            message: "No such file"
        )
    }

    func testHashFiles() throws {
        try expect(
            "printf p | credkit verify --hash-file nothing",
            "",
            status: 74,
            message: "nothing: No such file"
        )
        try expect(
            "printf 'a\\nb\\n' > two; printf p | credkit verify --hash-file two",
            "",
            status: 65,
            message: "one line"
        )
        try expect(
            "printf p | credkit verify --hash-file -",
            "",
            status: 64,
            message: "Two values cannot come from the same input"
        )
        try expect("printf p | credkit verify", "", status: 64, message: "HASH")
        try expect(
            "echo \(md5Crypt) | credkit verify --hash-file - --password-file <(printf secret)",
            "match\n"
        )
    }

    func testInspect() throws {
        try expect(
            "credkit inspect '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA'",
            """
            scheme:        argon2id
            memory:        64MiB
            passes:        3
            lanes:         4
            salt-length:   8
            memory-needed: 64MiB
            milliseconds:  82.77
            policy:        current

            """
        )
        try expect(
            "credkit inspect --json \(md5Crypt)",
            #"{"memoryKiB":64,"milliseconds":0.2,"parameters":{},"policy":"deprecated","replacedBy":"argon2id --memory 19MiB --passes 2","saltLength":3,"scheme":"md5-crypt","weakness":"1,000 rounds of MD5: some 10⁷ guesses a second on one graphics card"}"#
                + "\n"
        )
        let outcome = try run(
            "printf '%s\\n' \(md5Crypt) nonsense '' '{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==' | credkit inspect"
        )
        XCTAssertEqual(outcome.status, 65)
        XCTAssertEqual(outcome.text.components(separatedBy: "\n\n").count, 2)
        XCTAssertEqual(
            outcome.errors,
            "credkit: line 2: unrecognized hash format "
                + "(for bare hexadecimal digits, name the algorithm that made them)\n"
        )
    }

    /// The table of another system: what a new hash looks like there, and such a hash.
    func testHashesForTheTableOfAnotherSystem() throws {
        for (options, beginning) in [
            ("argon2id --memory 64KiB --for dovecot", "{ARGON2ID}$argon2id$v=19$m=64,"),
            ("argon2id --memory 64KiB --for openldap", "{ARGON2}$argon2id$"),
            ("argon2id --memory 64KiB --for spring", "{argon2@SpringSecurity_v5_8}$argon2id$"),
            ("bcrypt --cost 4 --for spring", "{bcrypt}$2b$04$"),
            ("bcrypt --cost 4 --for dovecot", "{BLF-CRYPT}$2b$"),
            ("pbkdf2-sha256 --iterations 10 --for 389-ds", "{PBKDF2-SHA256}10$"),
            ("scram-sha-256 --for dovecot", "{SCRAM-SHA-256}600000,"),
        ] {
            let outcome = try run(
                "printf p | credkit hash \(options) > hash && cat hash && printf p | credkit verify -q --hash-file hash"
            )
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertTrue(outcome.text.hasPrefix(beginning), outcome.text)
        }
        for (options, message) in [
            ("pbkdf2-sha256 --for dovecot", "--for dovecot is for argon2id, "),
            ("argon2id --for 389-ds", "--for 389-ds is for pbkdf2-sha256, "),
            ("scram-sha-512 --for dovecot", "does not read hashes of scram-sha-512"),
            ("argon2id --for joomla", "389-ds"),
            ("argon2id --for dovecot --pepper k=/dev/null", "--pepper"),
        ] {
            let outcome = try run("printf p | credkit hash \(options)")
            XCTAssertEqual(outcome.status, 64, options)
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        }
        let shown = try run("credkit inspect '{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ=='").text
        for row in [
            "for-openldap:  {ARGON2}… (credkit hash argon2id --memory 19MiB --passes 2 --for openldap)",
            "for-389-ds:    {PBKDF2-SHA256}… (credkit hash pbkdf2-sha256 --iterations 600000 --for 389-ds)",
            "for-dovecot:   {ARGON2ID}… (credkit hash argon2id --memory 19MiB --passes 2 --for dovecot)",
        ] { XCTAssertTrue(shown.contains(row + "\n"), shown) }
        let json = try run("credkit inspect --json '{MD5-CRYPT}$1$abc$iCQ2D3nhptRYi27fDYv2s1'").text
        let replacement =
            #""replacedFor":[{"prefix":"{ARGON2ID}","replacedBy":"argon2id --memory 19MiB --passes 2 --for dovecot","system":"dovecot"}]"#
        XCTAssertTrue(json.contains(replacement), json)
    }

    func testCalibrate() throws {
        let outcome = try run("credkit calibrate pbkdf2-sha256 --target 20ms --json")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertTrue(outcome.text.hasPrefix(#"{"costs":{"iterations":"#), outcome.text)
        XCTAssertTrue(outcome.errors.contains("pbkdf2-sha256 --iterations 1: "), outcome.errors)
        let other = try run("credkit calibrate md5-crypt")
        XCTAssertEqual(other.status, 64)
        let help = try run("credkit calibrate --help").text
        let schemes = [
            "argon2id", "scrypt", "bcrypt", "yescrypt", "sha512-crypt", "sha256-crypt", "pbkdf2-sha256",
            "pbkdf2-sha512", "scram-sha-256", "scram-sha-512",
        ]
        for scheme in schemes {
            XCTAssertTrue(other.errors.contains(scheme), other.errors)
            XCTAssertTrue(help.contains(scheme), help)
        }
        for scheme in ["apr1", "phpass", "ntlm"] {
            XCTAssertFalse(other.errors.contains(scheme), other.errors)
            XCTAssertFalse(help.contains(scheme), help)
        }
        try expect("credkit calibrate argon2id --target 3", "", status: 64, message: "--target")
        let argon2id = try run(
            "printf p | credkit hash argon2id $(credkit calibrate argon2id --target 20ms --memory 4MiB 2>/dev/null)"
        )
        XCTAssertTrue(argon2id.text.hasPrefix("$argon2id$v=19$m=4096,t="), argon2id.text + argon2id.errors)
    }
}
