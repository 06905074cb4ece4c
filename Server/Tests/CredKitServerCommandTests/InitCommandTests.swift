// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitServerCommand

/// `credkit-server init`, and a server with its files.
@Suite struct InitCommandTests {
    private let start = "credkit-server --config login/credkit-server.conf --listen 127.0.0.1:0"

    private func logIn(_ shell: Shell, _ server: ServerProcess, _ user: String, _ password: String) throws
        -> String
    {
        try shell.run(
            "curl -s -d username=\(user) --data-urlencode 'password=\(password)' \(server.url)/login.php"
        ).text.trimmingCharacters(in: .newlines)
    }

    @Test func aServerStartsFromNothing() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        let made = try shell.run("umask 0; credkit-server init login")
        #expect(made.status == 0, "\(made.errors)")
        let lines = made.text.split(separator: "\n").map(String.init)
        let beginning = "The password of admin, which is shown only now: "
        let first = try #require(lines.first)
        #expect(first.hasPrefix(beginning))
        let password = String(first.dropFirst(beginning.count))
        #expect(password.utf8.count > 20)
        let folder = shell.folder.resolvingSymlinksInPath().path + "/login"
        #expect(lines[1] == "Created \(folder) with")
        #expect(lines.contains("  credkit-server check --config \(folder)/credkit-server.conf"))
        let sudo = geteuid() == 0 ? "" : "sudo "
        #expect(
            lines.last == "  \(sudo)install -m 644 \(folder)/credkit-server.service /etc/systemd/system/ && "
                + "\(sudo)systemctl enable --now credkit-server"
        )
        let modes = try shell.run("stat -c '%a %n' login login/*; grep -rl -e '\(password)' login")
        #expect(
            modes.text == """
                700 login
                640 login/credkit-server.conf
                640 login/credkit-server.service
                600 login/mock-key
                640 login/nginx.conf
                600 login/state-key
                600 login/users

                """
        )
        let check = try shell.run(
            """
            credkit-server check --config login/credkit-server.conf --listen 127.0.0.1:0 && cd / && mv \(folder) \(folder)-moved
            credkit-server check --config \(folder)-moved/credkit-server.conf --listen 127.0.0.1:0 && mv \(folder)-moved \(folder)
            """
        )
        #expect(check.text == "ok: 1 users\nok: 1 users\n", "\(check.errors)")
        #expect(check.errors.isEmpty)
        for _ in 0..<2 {
            let server = try ServerProcess(shell, start)
            #expect(try logIn(shell, server, "admin", password) == #"{"userId":1,"userName":"admin"}"#)
            #expect(try logIn(shell, server, "admin", "other").contains("-1"))
            #expect(server.stop() == 0)
        }
    }

    @Test func aSiteIsProtectedFromTheStart() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        let made = try shell.run(
            "credkit-server init login --site https://www.example.org && grep -cE '^(site|mechanism)' login/credkit-server.conf"
        )
        #expect(made.text.hasSuffix("\n1\n"), "\(made.text) \(made.errors)")
        let server = try ServerProcess(shell, start)
        let answers = try shell.run(
            """
            ask() { curl -s -o page -w '%{http_code}\\n' -H 'Host: www.example.org' -H 'X-Forwarded-Proto: https' "$@"; }
            ask -H 'X-Original-URL: https://www.example.org/wiki' \(server.url)/auth/check
            ask \(server.url)/auth/login; grep -c '<form' page
            """
        )
        #expect(answers.text == "401\n200\n1\n", "\(answers.errors)")
        #expect(server.stop() == 0)
    }

    /// The options that the file has as comments, for SCRAM and several servers, fit the keys.
    @Test func keysAreThoseThatTheServerNeeds() throws {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            printf 'p q' | credkit-server init login --user 'bob é' --password-file - | head -1
            printf 'carol:%s\\n' "$(printf 123456 | credkit hash scram-sha-256)" >> login/users
            sed -i 's/^#\\(mechanism\\|mock-key\\)/\\1/' login/credkit-server.conf
            credkit-server check --config login/credkit-server.conf --listen 127.0.0.1:0
            stat -c %s login/state-key
            """
        )
        let folder = shell.folder.resolvingSymlinksInPath().path
        #expect(outcome.text == "Created \(folder)/login with\nok: 2 users\n32\n", "\(outcome.errors)")
        #expect(!outcome.errors.contains("kinds of verifiers"), "\(outcome.errors)")
        let server = try ServerProcess(shell, start)
        let login = try shell.run(
            "curl -s --data-urlencode 'username=bob é' -d 'password=p+q' \(server.url)/login.php"
        )
        #expect(login.text.contains(#"{"userId":1,"userName":"bob é"}"#), "\(login.text)")
        #expect(server.stop() == 0)
    }

    @Test func nothingIsOverwritten() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            mkdir full empty; echo x > full/users; echo y > file; ln -s empty link
            for name in full file full/users link none/new file/new; do
                credkit-server init $name > output 2> errors; echo $? $(cat output); done
            cat full/users file; ls full empty; ls -A | grep init
            for name in . .. / 'a b'; do credkit-server init "$name" 2> errors; echo $?; done
            credkit-server init new --user a:b 2> errors; echo $?
            credkit-server init new --password-file /dev/null 2> errors; echo $?
            ls -d new 2> errors; credkit-server init empty/ > output; echo $?; ls empty | wc -l
            """
        )
        let expected = """
            73
            73
            73
            73
            73
            73
            x
            y
            empty:

            full:
            users
            64
            64
            64
            64
            64
            65
            0
            6

            """
        #expect(outcome.text == expected, "\(outcome.errors)")
    }

    /// A folder that cannot be finished, or whose password cannot be printed, does not exist.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
    func aFailedStartLeavesNothing() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            trace() {
                CREDKIT_ALLOW_CORE_DUMPS=1 strace -f -qq -o /dev/null -e "inject=?rename,?renameat,?renameat2:$1" \\
                    credkit-server init new > /dev/null 2> errors
                echo $?; ls -d new 2> /dev/null
            }
            trace error=EIO; ls -A | grep init
            credkit-server init new > /dev/full 2> errors; echo $?; ls -d new 2> /dev/null; ls -A | grep init
            trace signal=KILL
            credkit-server init new > /dev/null; echo $?; ls new | wc -l
            """
        )
        #expect(outcome.text == "73\n74\n137\n0\n6\n", "\(outcome.errors)")
    }

    /// The name is sent in a header, and a terminal shows it.
    @Test(arguments: [
        (["--site", "https://www.example.org", "--user", "Max Müller"], false),
        (["--site", "https://www.example.org", "--user", "a b"], false),
        (["--site", "https://www.example.org", "--user", "max.mueller@example.org"], true),
        (["--user", "Max Müller"], true), (["--user", "a\u{85}"], false), (["--user", "a\u{9B}31m"], false),
    ])
    func namesFitTheSite(_ options: [String], _ isTaken: Bool) {
        #expect(((try? InitCommand.parse(["login"] + options)) != nil) == isTaken)
    }

    /// The sandbox of the unit hides some folders.
    @Test func unitStartsAProgramThatItSees() {
        for folder in ["/home/a", "/root", "/tmp", "/var/tmp", "/run/user/0"] {
            #expect(InitialFiles.visible("\(folder)/credkit-server") == "/usr/bin/credkit-server")
        }
        #expect(InitialFiles.visible("/usr/local/bin/credkit-server") == "/usr/local/bin/credkit-server")
        #expect(InitialFiles.visible("/homes/credkit-server") == "/homes/credkit-server")
    }

    @Test func unitIsThatOfThePackage() throws {
        let packaged = try String(
            contentsOf: TestScripts.root.appending(path: "packaging/credkit-server.service"),
            encoding: .utf8
        )
        let program = "/usr/local/bin/credkit-server"
        #expect(ServiceUnit.text(program: program, folder: "/etc/credkit-server") == packaged)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")))
    func nginxReadsTheSnippet() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            credkit-server init login > output
            printf 'pid pid;\\nevents {}\\nhttp { access_log off; client_body_temp_path b; server { listen 127.0.0.1:8443;
                include login/nginx.conf; } }\\n' > nginx.conf
            /usr/sbin/nginx -t -p "$PWD" -c nginx.conf -e errors 2>&1 | grep -c 'syntax is ok'
            """
        )
        #expect(outcome.text == "1\n", "\(outcome.errors)")
    }
}
