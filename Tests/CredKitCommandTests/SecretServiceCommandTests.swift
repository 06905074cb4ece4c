// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Runs the commands with a separate Secret Service: gnome-keyring on a session bus that ends with the script.
final class SecretServiceCommandTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
        let doctor = try run("credkit keychain doctor --json", expecting: nil)
        guard doctor.text.contains(#""name":"collection","state":"ok""#) else {
            throw XCTSkip("there is no gnome-keyring that can be started here: \(doctor.text)")
        }
    }

    override func tearDown() { shell.remove() }

    /// Returns a script that runs another one on a session bus of its own, with an unlocked gnome-keyring.
    static func session(_ script: String) -> String {
        """
        cat > session.sh <<'END OF SESSION'
        export CREDKIT_BACKEND=secret-service
        printf login | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1 || exit
        until credkit keychain doctor 2> /dev/null | grep -q "is unlocked"; do sleep 0.02; done
        \(script)
        END OF SESSION
        # A bus that activates services would start another daemon if it is asked before this one has its name.
        cat > bus.conf <<'XML'
        <busconfig>
          <type>session</type>
          <listen>unix:tmpdir=/tmp</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
          </policy>
        </busconfig>
        XML
        timeout 120 dbus-run-session --config-file=bus.conf -- bash session.sh
        """
    }

    @discardableResult
    private func run(_ script: String, expecting status: Int32? = 0) throws -> Shell.Outcome {
        let outcome = try shell.run(Self.session(script))
        if let status { XCTAssertEqual(outcome.status, status, outcome.errors + outcome.text) }
        return outcome
    }

    func testItemsAreVisibleToSecretTool() throws {
        let outcome = try run(
            """
            printf s3cret | credkit keychain set svc alice; secret-tool lookup service svc username alice; echo
            printf other | secret-tool store --label L service svc username bob; credkit keychain get svc bob; echo
            credkit keychain move --from secret-service --to vault svc; credkit keychain list
            credkit keychain get svc bob --backend vault
            """
        )
        XCTAssertEqual(outcome.text, "s3cret\nother\nsvc\talice\nsvc\tbob\nother")
    }

    func testGitItemsMatchGitCredentialLibsecret() throws {
        let outcome = try run(
            """
            echo url=https://bob:pw@example.com:8443/a | credkit git-credential store
            secret-tool search --all protocol https 2>&1 | grep -E 'schema|attribute' | sort
            echo url=https://example.com:8443 | credkit git-credential get
            echo url=https://bob:other@example.com:8443/a | credkit git-credential erase
            echo url=https://bob:pw@example.com:8443/a | credkit git-credential erase
            echo url=https://example.com:8443/a | credkit git-credential get
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            attribute.object = a
            attribute.port = 8443
            attribute.protocol = https
            attribute.server = example.com
            attribute.user = bob
            schema = org.git.Password
            username=bob
            password=pw

            """
        )
    }

    /// What users and other programs keep under the names of git and docker is theirs.
    func testHelpersDoNotFindItemsOfOtherSchemes() throws {
        let outcome = try run(
            """
            names='protocol=https server=git.example user=alice'
            printf mine | credkit keychain set svc alice $(for n in $names; do printf ' --attribute %s' $n; done)
            printf mine | credkit keychain set '' alice --attribute server=r.example 2> /dev/null
            printf other | secret-tool store --label L ${names//=/ } xdg:schema org.gnome.keyring.NetworkPassword
            echo url=https://alice@git.example | credkit git-credential get
            echo url=https://alice:mine@git.example | credkit git-credential erase
            echo url=https://alice:other@git.example | credkit git-credential erase
            echo url=https://alice:ours@git.example | credkit git-credential store
            echo '{"ServerURL":"r.example","Username":"alice","Secret":"ours"}' | credkit docker-credential store
            echo url=https://alice@git.example | credkit git-credential get | grep password
            echo r.example | credkit docker-credential get
            echo url=https://alice:ours@git.example | credkit git-credential erase
            echo r.example | credkit docker-credential erase
            secret-tool search --all server git.example 2> /dev/null | grep '^secret' | sort
            secret-tool search --all server r.example 2> /dev/null | grep '^secret'
            """,
            expecting: nil
        )
        XCTAssertEqual(
            outcome.text,
            """
            password=ours
            {"Secret":"ours","ServerURL":"r.example","Username":"alice"}
            secret = mine
            secret = other
            secret = mine

            """,
            outcome.errors
        )
    }

    func testDockerItemsMatchItsOwnHelper() throws {
        let outcome = try run(
            """
            echo '{"ServerURL":"r.example","Username":"dora","Secret":"s"}' | credkit docker-credential store
            secret-tool search --all server r.example 2>&1 | grep -E 'schema|attribute' | sort
            printf x | secret-tool store --label L server other.example username eve
            echo '{"ServerURL":"r.example","Username":"al","Secret":"s"}' | credkit docker-credential store
            credkit docker-credential list; echo r.example | credkit docker-credential get
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            attribute.docker_cli = 1
            attribute.label = Docker Credentials
            attribute.server = r.example
            attribute.username = dora
            schema = io.docker.Credentials
            {"r.example":"al"}
            {"Secret":"s","ServerURL":"r.example","Username":"al"}

            """
        )
    }

    func testKeyInTheSecretServiceUnlocksAVault() throws {
        try run(
            """
            set -e; export CREDKIT_BACKEND=vault
            printf s3cret | credkit keychain set s; credkit keychain slot add --secret-service
            test "$(env -u CREDKIT_PASSPHRASE credkit keychain get s --no-prompt)" = s3cret
            """
        )
        let locked = try run(
            """
            credkit keychain lock
            env -u CREDKIT_PASSPHRASE credkit keychain get s --no-prompt --backend vault
            """,
            expecting: 77
        )
        XCTAssertEqual(locked.text, "")
    }

    func testWithoutLibsecretEverythingElseWorks() throws {
        // The loader looks here first. An invalid library ends its search, or the library lacks functions.
        for make in [": > lib/libsecret-1.so.0", "gcc -shared -x c /dev/null -o lib/libsecret-1.so.0"] {
            let named = try run(
                """
                mkdir -p lib; \(make); export LD_LIBRARY_PATH=$PWD/lib
                printf 1 | credkit keychain set s --backend secret-service
                """,
                expecting: 69
            )
            XCTAssertTrue(named.errors.contains("libsecret cannot be loaded: "), named.errors)
            XCTAssertTrue(named.errors.contains("apt-get install libsecret-1-0"), named.errors)
            XCTAssertEqual(named.text, "")

            let chosen = try run(
                """
                export LD_LIBRARY_PATH=$PWD/lib; unset CREDKIT_BACKEND
                printf 1 | credkit keychain set s && credkit keychain get s --backend vault
                credkit keychain delete s; credkit keychain doctor | grep -c 'libsecret cannot be loaded'
                """
            )
            XCTAssertEqual(chosen.text, "11\n")
        }
    }

    func testDesktopLibrariesAreLoadedOnlyWhenNeeded() throws {
        let loaded = try run(
            """
            ldd "$(command -v credkit)" | grep -cE 'libsecret|libg(lib|io|object)-2'
            printf 1 | credkit keychain set s --backend vault
            LD_DEBUG=files credkit keychain get s --backend vault 2>&1 | grep -c libsecret
            LD_DEBUG=files credkit keychain doctor 2>&1 | grep -c 'calling init.*libsecret'
            """
        )
        XCTAssertEqual(loaded.text, "0\n0\n1\n")
    }
}
