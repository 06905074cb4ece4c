// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// git's protocol for credential helpers: gitcredentials(7), git-credential(1), and the real git.
final class GitCredentialTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
        _ = try shell.run("ln -s credkit bin/git-credential-credkit")
    }

    override func tearDown() { shell.remove() }

    @discardableResult
    private func helper(
        _ operation: String,
        _ input: String,
        _ expected: String = "",
        status: Int32 = 0,
        line: UInt = #line
    ) throws -> String {
        let outcome = try shell.run("printf '\(input)' | git-credential-credkit \(operation)")
        XCTAssertEqual(outcome.status, status, outcome.errors, line: line)
        XCTAssertEqual(outcome.text, expected, line: line)
        return outcome.errors
    }

    private let alice = "protocol=https\\nhost=example.com:8443\\nusername=alice\\n"

    func testStoreGetErase() throws {
        try helper("get", alice)
        try helper("store", alice + "password=s=3 cret\\n")
        try helper("get", alice, "username=alice\npassword=s=3 cret\n")
        // Without a user name the only match is returned; input after the empty line is ignored.
        try helper(
            "get",
            "protocol=https\\nhost=example.com:8443\\n\\nusername=x\\n",
            "username=alice\npassword=s=3 cret\n"
        )
        try helper("get", "protocol=https\\nhost=example.com\\n")
        try helper("get", "protocol=http\\nhost=example.com:8443\\n")
        XCTAssertEqual(
            try shell.run("credkit keychain list").text,
            "https://example.com:8443\talice\tcredkit-purpose=git\n"
        )
        // Only the password that failed is erased.
        try helper("erase", alice + "password=another\\n")
        try helper("get", alice, "username=alice\npassword=s=3 cret\n")
        try helper("erase", alice + "password=s=3 cret\\n")
        try helper("get", alice)
    }

    func testURLIsSplitIntoItsParts() throws {
        try helper("store", "url=https://alice:p%%40ss@example.com/a/b.git/\\n")
        try helper(
            "get",
            "protocol=https\\nhost=example.com\\npath=a/b.git\\n",
            "username=alice\npassword=p@ss\n"
        )
        // A lookup without a path does not find an item with a path, nor does another path.
        try helper("get", "url=https://example.com\\n", "username=alice\npassword=p@ss\n")
        try helper("get", "url=https://example.com/a\\n")
        try helper("get", "url=https://example.co\\n")
        try helper("get", "url=https://example.com%%0ahost=evil.example\\n", status: 65)
        try helper("get", "url=nothing\\n", status: 65)
    }

    func testURLIsSplitByBytesAsGitDoes() throws {
        try helper("store", "url=https://alice:pw@good.example/\\n")
        // A character of Swift may consist of a slash, or of an @, and an accent.
        let accent = "\\xcc\\x81"
        for url in [
            "https://alice:/\(accent)@good.example/", "https://evil.example/\(accent)@good.example/",
            "https://evil.example?\(accent)@good.example/", "https://evil.example#\(accent)@good.example/",
            // The user ends at the first @.
            "https://alice:x@evil@good.example/", "https://good.example@evil.example/",
        ] { try helper("get", "url=\(url)\\n") }
        try helper("get", "url=https:/\(accent)/good.example/\\n", status: 65)
        try helper("store", "url=https://bob:p\(accent)w@\(accent)h.example/\\n")
        try helper("get", "protocol=https\\nhost=\(accent)h.example\\n", "username=bob\npassword=p\u{301}w\n")
        // Only two hexadecimal digits are an escape.
        try helper("store", "url=https://x%%+a:pw@plus.example/\\n")
        try helper("get", "url=https://plus.example/\\n", "username=x%+a\npassword=pw\n")
    }

    func testHostsAndUsersAreComparedByBytes() throws {
        // A Kelvin sign, which Swift treats as a K; é as one character and as two.
        let kelvin = "\\xe2\\x84\\xaa"
        try helper("store", "protocol=https\\nhost=K.example\\nusername=\\xc3\\xa9\\npassword=p\\n")
        for query in [
            "protocol=https\\nhost=\(kelvin).example\\n", "url=https://\(kelvin).example\\n",
            "protocol=https\\nhost=\(kelvin).example\\npath=\\n",
            "protocol=https\\nhost=K.example\\nusername=e\\xcc\\x81\\n",
        ] {
            try helper("get", query)
            try helper("erase", query)
        }
        try helper("get", "protocol=https\\nhost=K.example\\n", "username=\u{E9}\npassword=p\n")
        // The path of an item must not extend the host of a query, nor the other way round.
        try helper("store", "url=https://alice:pw@good.example/evil\\n")
        for query in [
            "protocol=https\\nhost=good.example/evil\\n", "url=https://good.example%%2fevil\\n",
            "protocol=https://good.example/evil\\nhost=x\\n",
        ] { try helper("get", query, status: 65) }
    }

    func testCarriageReturnsAndNULsAreRefused() throws {
        for line in [
            "username=u\\rpassword=x", "host=h\\rx", "path=a\\rb", "password=p\\rusername=x", "unknown=\\r",
            "password=p\\r",
            "password=p\\0", "oauth_refresh_token=\\r",
        ] { try helper("store", alice + "\(line)\\npassword=p\\n", status: 65) }
        for url in [
            "https://a%%0db:pw@h/", "https://a:p%%0dw@h/", "https://a:pw@h%%0d/", "https://a:pw@h/%%0d",
            "https://a:pw@h/%%00",
        ] {
            try helper("store", "url=\(url)\\n", status: 65)
        }
        XCTAssertEqual(try shell.run("credkit keychain list").text, "")
        // Another program may have stored such a value.
        _ = try shell.run(
            "printf 'p\\rusername=x' | credkit keychain set https://h.example alice --attribute credkit-purpose=git"
        )
        _ = try shell.run(
            "printf p | credkit keychain set https://i.example $'a\\rb' --attribute credkit-purpose=git"
        )
        _ = try shell.run(
            "printf p | credkit keychain set https://j.example $'a\\nb' --attribute credkit-purpose=git"
        )
        for host in ["h", "i", "j"] {
            let note = try helper("get", "url=https://\(host).example\\n", status: 65)
            XCTAssertTrue(note.contains("line break"), note)
        }
    }

    func testSeveralMatchingUsersAreNotGuessed() throws {
        for user in ["alice", "bob"] { try helper("store", "url=https://\(user):1@example.com\\n") }
        let note = try helper("get", "url=https://example.com\\n")
        XCTAssertTrue(
            note.contains("several users have a password for https://example.com: alice, bob"),
            note
        )
        try helper("get", "url=https://bob@example.com\\n", "username=bob\npassword=1\n")
    }

    func testExpiredPasswordIsWithheldButItsRefreshTokenIsReturned() throws {
        let token = alice + "password=p\\noauth_refresh_token=r\\npassword_expiry_utc="
        try helper("store", token + "4102444800\\n")
        try helper(
            "get",
            alice,
            "username=alice\npassword=p\npassword_expiry_utc=4102444800\noauth_refresh_token=r\n"
        )
        try helper("store", token + "1\\n")
        try helper("get", alice, "username=alice\noauth_refresh_token=r\n")
        // The lines of git-credential-libsecret.
        XCTAssertEqual(
            try shell.run(
                "credkit keychain get https://example.com:8443 alice --attribute credkit-purpose=git"
            ).text,
            "p\npassword_expiry_utc=1\noauth_refresh_token=r"
        )
    }

    func testEncodedCredentialsNeedTheAuthtypeCapability() throws {
        let address = "protocol=https\\nhost=example.com\\n"
        try helper("capability", "", "version 0\ncapability authtype\n")
        try helper("store", address + "authtype=Bearer\\ncredential=t0\\nephemeral=1\\n")
        try helper("get", address + "capability[]=authtype\\n")
        try helper("store", address + "authtype=Bearer\\ncredential=t0\\n")
        try helper(
            "get",
            address + "capability[]=authtype\\nwwwauth[]=Bearer\\nstate[]=x\\n",
            "capability[]=authtype\nauthtype=Bearer\ncredential=t0\n"
        )
        try helper("get", address)
        try helper("erase", address + "authtype=Bearer\\ncredential=t1\\n")
        try helper("erase", address + "authtype=Bearer\\ncredential=t0\\n")
        try helper("get", address + "capability[]=authtype\\n")
    }

    func testUnknownAttributesAreIgnoredAndMalformedMessagesRefused() throws {
        try helper("frobnicate", "anything")
        try helper("store", alice + "unknown=1\\npassword=p\\n")
        try helper("get", alice, "username=alice\npassword=p\n")
        for broken in ["no attribute\\n", "host=a\\0b\\n", "username=u\\n", "protocol=https\\n", ""] {
            try helper("get", broken, status: 65)
        }
        // Some helpers treat an empty query as "all items".
        try helper("erase", "username=alice\\n", status: 65)
        try helper("store", "protocol=https\\nhost=h\\nusername=u\\n")
        try helper("store", "protocol=https\\nhost=h\\npassword=p\\n")
        XCTAssertEqual(
            try shell.run("credkit keychain list").text,
            "https://example.com:8443\talice\tcredkit-purpose=git\n"
        )
    }

    func testUnchangedItemIsNotWrittenAgain() throws {
        try helper("store", alice + "password=p\\n")
        let vault = "stat -c %i bin/home/.local/share/credkit/keychain.vault"
        let before = try shell.run(vault).text
        try helper("store", alice + "password=p\\n")
        XCTAssertEqual(try shell.run(vault).text, before)
    }

    func testNoninteractiveGitIsNeverPrompted() throws {
        try helper("store", alice + "password=p\\n")
        let session = try TerminalSession(
            shell,
            [
                "bash", "-c",
                "unset CREDKIT_PASSPHRASE; echo url=https://example.com | GIT_TERMINAL_PROMPT=0 git-credential-credkit get",
            ],
            []
        )
        XCTAssertEqual(session.status, 77, session.screen)
        XCTAssertFalse(session.screen.contains("Passphrase of the vault: "), session.screen)
    }

    // MARK: The real git

    /// An HTTP server around `git http-backend` that requires a password; prints its port.
    private static let server = #"""
        import base64, http.server, os, subprocess, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                wanted = "Basic " + base64.b64encode(open("password", "rb").read().strip()).decode()
                if self.headers.get("Authorization") != wanted:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="test"')
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                path, _, query = self.path.partition("?")
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                environment = dict(os.environ, GIT_PROJECT_ROOT=os.getcwd(), GIT_HTTP_EXPORT_ALL="1",
                    PATH_INFO=path, QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_USER="alice",
                    CONTENT_TYPE=self.headers.get("Content-Type") or "", CONTENT_LENGTH=str(len(body)))
                if self.headers.get("Content-Encoding"):
                    environment["HTTP_CONTENT_ENCODING"] = self.headers["Content-Encoding"]
                done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True)
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                self.send_response(200)
                for line in head.decode().split("\r\n"):
                    name, _, value = line.partition(": ")
                    if name != "Status": self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            do_GET = do_POST = answer
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """#

    func testGitFetchesWithoutAskingAndErasesAWrongPassword() throws {
        try Self.server.write(
            to: shell.folder.appendingPathComponent("server.py"),
            atomically: true,
            encoding: .utf8
        )
        let outcome = try shell.run(
            """
            set -e
            export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
            git config --global credential.helper credkit
            git config --global init.defaultBranch main; git config --global user.email a@example.com
            git config --global user.name a; git config --global safe.directory '*'
            git init -q work; git -C work commit -q --allow-empty -m first; git clone -q --bare work repository.git
            echo alice:s3cret > password
            python3 server.py > port & server=$!; trap 'kill $server' EXIT
            while ! test -s port; do sleep 0.05; done
            url=http://127.0.0.1:$(cat port)/repository.git
            ! git clone -q $url none 2> errors; grep -q 'terminal prompts disabled' errors
            printf '#!/bin/sh\\ncase "$1" in U*) echo alice;; *) echo s3cret;; esac\\n' > bin/askpass; chmod +x bin/askpass
            GIT_ASKPASS=askpass git clone -q $url one; echo stored
            credkit keychain list | sed 's/:[0-9]*\\t/:PORT\\t/'
            git -C one fetch -q; git clone -q $url two; echo fetched
            echo alice:changed > password
            ! git -C one fetch -q 2> errors; grep -q 'Authentication failed' errors
            credkit keychain list; echo erased
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(
            outcome.text,
            "stored\nhttp://127.0.0.1:PORT\talice\tcredkit-purpose=git\nfetched\nerased\n",
            outcome.errors
        )
    }
}
