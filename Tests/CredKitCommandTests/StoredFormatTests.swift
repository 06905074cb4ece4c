// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Files in the formats that the first release keeps are read.
final class StoredFormatTests: XCTestCase {
    private var shell: Shell?

    override func setUpWithError() throws {
        let shell = try Shell()
        self.shell = shell
        let fixtures = TestScripts.root.appendingPathComponent("Tests/Fixtures/0.1")
        try FileManager.default.copyItem(at: fixtures, to: shell.folder.appendingPathComponent("stored"))
    }

    override func tearDown() { shell?.remove() }

    private func run(_ script: String) throws -> Shell.Outcome {
        try XCTUnwrap(shell).run(
            """
            cd stored || exit
            chmod -R go-rwx .
            export CREDKIT_VAULT=$PWD/keychain.vault CREDKIT_PASSPHRASE='fixture passphrase'
            export XDG_STATE_HOME=$PWD/state
            mkdir -p -m 700 state/credkit
            mv sessions state/credkit/sessions
            \(script)
            """
        )
    }

    func testVaultIsReadWithEachPassphraseAndTheKeyFile() throws {
        let outcome = try run(
            """
            credkit keychain get com.example.app alice && echo
            credkit keychain get com.example.app bob --attribute realm=test | od -An -tx1
            credkit keychain get com.example.service && echo
            CREDKIT_PASSPHRASE='second passphrase' credkit keychain get 例え wú && echo
            CREDKIT_PASSPHRASE= credkit keychain get com.example.app alice --vault-key-file vault-key && echo
            credkit keychain get com.example.gone carol; echo $?
            credkit keychain list | wc -l
            credkit keychain slot list | wc -l
            credkit keychain doctor --deep --quiet && printf new | credkit keychain set com.example.new dave
            credkit keychain get com.example.new dave
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            s3cret
             00 ff 01 62 79 74 65 73
            no account
            密码
            s3cret
            1
            7
            3
            new
            """
        )
    }

    func testExportsAreImported() throws {
        let outcome = try run(
            """
            export CREDKIT_VAULT=$PWD/new.vault
            printf 'archive passphrase' > passphrase
            credkit keychain import archive.vault --archive-passphrase-file passphrase
            credkit keychain get com.example.app alice && echo
            export CREDKIT_VAULT=$PWD/other.vault
            credkit keychain import plain.json
            credkit keychain get com.example.app bob --attribute realm=test | od -An -tx1
            """
        )
        XCTAssertEqual(outcome.text, "s3cret\n 00 ff 01 62 79 74 65 73\n", outcome.errors)
    }

    /// The request goes to a server on a Unix socket, which shows what it was sent.
    func testSessionsAreResumed() throws {
        let outcome = try run(
            """
            python3 - > request <<'PYTHON' &
            import socket
            server = socket.socket(socket.AF_UNIX)
            server.bind("new-socket")
            server.listen(1)
            import os
            os.rename("new-socket", "socket")
            connection, _ = server.accept()
            print(connection.recv(65536).decode())
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nok\\n")
            connection.close()
            PYTHON
            until [ -S socket ]; do kill -0 $! || exit; done
            credkit request http://localhost:18080/studentList --unix-socket $PWD/socket
            wait
            grep -E '^(x-auth-token|Cookie): ' request | tr -d '\\r'
            credkit sessions --json
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            ok
            x-auth-token: c846c2a251b5baa943a4dee2a087f386
            Cookie: PHPSESSID=86f439ce4ab3f9276003675e8064e27f
            {"account":"bob","name":"http://localhost:18080","renews":true,"server":"http://localhost:18080/"}
            {"account":"bob","name":"unsaved","renews":false,"server":"http://localhost:18080/"}

            """,
            outcome.errors
        )
    }

    func testHashesOfEverySchemeAreVerified() throws {
        let outcome = try run(
            """
            while read -r hash; do
                printf 'correct horse' | credkit verify --quiet --pepper k1=pepper "$hash"; printf '%s ' $?
                printf 'wrong' | credkit verify --quiet --pepper k1=pepper "$hash"; echo $?
            done < hashes.txt
            """
        )
        XCTAssertEqual(outcome.text, String(repeating: "0 1\n", count: 9), outcome.errors)
    }

    func testUpgradedTablesAreVerified() throws {
        let outcome = try run(
            """
            for user in alice frank; do
                hash=$(sed -n "s/^$user://p" users.upgraded.txt)
                printf 'correct horse' | credkit verify --quiet "$hash"; printf '%s ' $?
                printf 'wrong' | credkit verify --quiet "$hash"; echo $?
            done
            for user in alice bob; do
                hash=$(sed -n "s/^$user,\\"\\(.*\\)\\",.*/\\1/p" users.upgraded.csv)
                printf 'correct horse' | credkit verify --quiet --pepper k1=pepper "$hash"; printf '%s ' $?
                printf 'wrong' | credkit verify --quiet --pepper k1=pepper "$hash"; echo $?
            done
            """
        )
        XCTAssertEqual(outcome.text, String(repeating: "0 1\n", count: 4), outcome.errors)
    }
}
