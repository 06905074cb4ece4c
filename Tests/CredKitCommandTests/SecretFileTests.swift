// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import XCTest

/// Files with secrets that other users can change or exchange are refused, whatever option names them.
final class SecretFileTests: ShellTestCase {
    /// Uses the file `secret`, whose content is right for each of them.
    private static let uses = [
        "printf x | credkit keychain set s a --vault v$RANDOM$RANDOM --vault-key-file $F",
        "credkit keychain get s a --vault w --passphrase-file $F",
        "credkit hash legacy salted-md5 --salt x --password-file $F",
        "printf p | credkit hash legacy timestamp --key-phrase-file $F --password-equivalent",
        "printf p | credkit hash argon2id --memory 64KiB --passes 1 --pepper 1=$F",
    ]

    /// Files that decide whom a password is sent to, or who a user is.
    func testFilesThatDecideOnTrustAreRefused() throws {
        let outcome = try run(
            """
            printf s3cret | credkit hash sha512-crypt > hash; credkit keychain export --plain-json items.json
            printf '{"server":"https://127.0.0.1:1","scheme":"form","loginPath":"/l"}' > profile; printf 'X: y\\n' > header
            cp /etc/ssl/certs/ca-certificates.crt ca
            for mode in 600 666; do
                chmod $mode hash items.json profile header ca
                printf s3cret | credkit verify --hash-file hash > /dev/null; echo $?
                credkit keychain import items.json; echo $?
                printf p | credkit login https://127.0.0.1:1 --user a --profile profile > /dev/null; echo $?
                credkit request https://127.0.0.1:1 -H @header; echo $?
                credkit request https://127.0.0.1:1 --cacert ca; echo $?
            done
            printf s3cret | credkit verify --hash-file /dev/fd/../cwd/hash > /dev/null; echo $?
            exec 5< <(cat hash); printf s3cret | credkit verify --hash-file /proc/$$/fd/5; exec 5<&-
            """
        )
        XCTAssertEqual(
            outcome.text,
            "0\n0\n69\n69\n69\n77\n77\n77\n77\n77\n77\nmatch\n",
            outcome.errors
        )
    }

    private func statuses(_ file: String, _ preparation: String) throws -> [Int32] {
        try Self.uses.map { use in
            try shell.run("F=\(file); \(preparation)\n\(use) > /dev/null 2> errors").status
        }
    }

    override func setUpWithError() throws {
        try super.setUpWithError()
        try run(
            """
            printf 0123456789abcdef0123456789abcdef > secret; chmod 600 secret; mkdir -m 755 folder; cp -p secret folder/
            printf x | credkit keychain set s a --vault w --passphrase-file secret
            """
        )
    }

    func testFilesThatOthersCanChangeAreRefused() throws {
        let (accepted, refused) = (Self.uses.map { _ in Int32(0) }, Self.uses.map { _ in Int32(77) })
        for mode in ["600", "400", "640", "644"] {
            XCTAssertEqual(try statuses("secret", "chmod \(mode) secret"), accepted, mode)
        }
        for mode in ["602", "622", "666", "620"] {
            let group = mode == "620" ? "chgrp games secret; " : ""
            XCTAssertEqual(try statuses("secret", "\(group)chmod \(mode) secret"), refused, mode)
        }
        let errors = try run("cat errors").text
        XCTAssert(errors.contains("others can change"), errors)
        XCTAssert(errors.contains("run chmod g-w on it"), errors)
    }

    func testFilesThatOthersCanExchangeAreRefused() throws {
        let refused = Self.uses.map { _ in Int32(77) }
        XCTAssertEqual(try statuses("folder/secret", "chmod 777 folder"), refused)
        XCTAssertEqual(try statuses("folder/secret", "chmod 1777 folder"), refused.map { _ in 0 })
        // A link in such a folder could name another file of this user tomorrow.
        XCTAssertEqual(try statuses("folder/link", "chmod 777 folder; ln -sf ../secret folder/link"), refused)
        XCTAssertEqual(
            try statuses("folder/link", "chmod 755 folder; ln -sf ../secret folder/link"),
            refused.map { _ in 0 }
        )
        guard getuid() == 0 else { return }
        // Root may name the file of a user, whose folder it is in, too; users may not name that of another one.
        XCTAssertEqual(try statuses("folder/secret", "chown 1234 folder/secret"), refused.map { _ in 0 })
        XCTAssertEqual(
            try statuses("folder/secret", "chown 1234 folder/secret folder"),
            refused.map { _ in 0 }
        )
        XCTAssertEqual(try statuses("folder/secret", "chown 1235 folder"), refused)
        try run("chown 0 folder; chmod 755 .; chmod 644 folder/secret")
        try run(
            "printf p | setpriv --reuid=1235 --clear-groups credkit hash legacy timestamp --key-phrase-file folder/secret "
                + "--password-equivalent",
            77
        )
        try run(
            "printf p | setpriv --reuid=1234 --clear-groups credkit hash legacy timestamp --key-phrase-file folder/secret "
                + "--password-equivalent"
        )
        let planted =
            "chown 0 folder/secret; chmod 1777 folder; ln -sf ../secret folder/link; chown -h 1234 folder/link"
        XCTAssertEqual(try statuses("folder/link", planted), refused)
    }

    /// A name in a folder of all is that of its owner, also if it is no file.
    func testPipesOfOtherUsersAreRefused() throws {
        guard getuid() == 0 else { throw XCTSkip("needs root") }
        try run("chmod 755 .; chmod 1777 folder; mkfifo -m 644 folder/pipe folder/own")
        let use =
            "setpriv --reuid=1234 --clear-groups credkit hash legacy timestamp --password-equivalent --password-fd 8 --key-phrase-file"
        try run("chown 1234 folder/own; (echo itheima > folder/own) & \(use) folder/own 8< <(printf p)")
        try run("chown 1235 folder/pipe; \(use) folder/pipe 8< <(printf p)", 77)
        try run("chown 1234 folder/pipe; chmod 666 folder/pipe; \(use) folder/pipe 8< <(printf p)", 77)
        // Root names no file of another user where all can make one.
        try run(
            "chown 1235 folder/secret; printf p | credkit hash legacy timestamp --password-equivalent --key-phrase-file folder/secret",
            77
        )
    }

    func testWhatTheCallerHasOpenIsItsOwn() throws {
        for file in ["<(cat secret)", "/dev/stdin", "/dev/fd/9", "/proc/self/fd/9"] {
            let use =
                "credkit hash legacy timestamp --password-equivalent --password-fd 8 --key-phrase-file \(file)"
            try run("chmod 666 secret; \(use) 8< <(printf p) 9< secret < secret")
        }
        try run(
            "chmod 644 secret; credkit keychain get s a --vault w --passphrase-file secret 2>&1 | grep 'all users can read'"
        )
        try run(
            "chmod 600 secret; ! credkit keychain get s a --vault w --passphrase-file secret 2>&1 | grep 'all users'"
        )
    }
}
