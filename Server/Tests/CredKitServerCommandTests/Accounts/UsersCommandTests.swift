// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// `credkit-server users`, with the files of a server that has alice, bob with a one-time code, and carol.
@Suite struct UsersCommandTests {
    private static let options =
        "\(PasskeySite.options) --passkeys passkeys.json --account-changes --recovery-codes recovery"

    private func run(_ shell: Shell, _ arguments: String, _ more: String = "") throws -> Shell.Outcome {
        try shell.run("umask 077; credkit-server users \(arguments) \(Self.options) \(more)")
    }

    @Test func passwordsAreSet() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            put() { credkit-server users set $1 \(Self.options); }
            printf 'of dora' | put dora; printf 'of alice' | put alice
            printf 'of dora' | credkit users users verify dora; printf 'of alice' | credkit users users verify alice
            cut -d: -f1 users | paste -sd' '; stat -c %a users
            printf '' | put alice; echo $?
            printf x | put 'a:b'; echo $?
            """
        )
        #expect(
            outcome.text
                == "added 'dora'\nreplaced the password of 'alice'\nmatch\nmatch\nalice bob carol dora\n600\n65\n64\n",
            "\(outcome.errors)"
        )
        let stray = try run(shell, "set alice s3cret-of-alice")
        #expect(stray.status == 64)
        #expect(!stray.errors.contains("s3cret-of-alice"), "\(stray.errors)")
    }

    /// A verifier of SCRAM must not become a hash with which its user cannot log in.
    @Test func aServerWithoutFormGetsNoHashes() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            umask 077
            printf 'erin:%s\\n' "$(printf 123456 | credkit hash scram-sha-256 --iterations 4096)" > verifiers
            cp verifiers before
            printf x | credkit-server users set erin --users verifiers --mechanism scram
            echo $?; cmp verifiers before
            """
        )
        #expect(outcome.text == "65\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("--scheme scram-sha-256"), "\(outcome.errors)")
    }

    @Test func usersAreListed() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        _ = try shell.run("echo 'Zoe:!' >> users")
        let outcome = try run(shell, "list")
        #expect(
            outcome.text == "Zoe\tno password\nalice\tpassword\nbob\tpassword\ncarol\tpassword\n",
            "\(outcome.errors)"
        )
        #expect(try run(shell, "list alice").status == 64)
        #expect(try run(shell, "delete").status == 64)
    }

    @Test func aRemovedUserLeavesNothing() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let site = try PasskeySite(
            shell,
            "--passkeys passkeys.json --account-changes --recovery-codes recovery"
        )
        var authenticator = try PasskeySite.authenticator()
        let browser = try site.browser(of: "carol")
        #expect(try browser.enrol(&authenticator).status == 201)
        _ = try shell.run(
            "umask 077; printf 'carol:otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ\\n' >> codes; printf 'carol:00\\nbob:11\\n' > recovery"
        )
        let removed = try run(shell, "delete carol")
        #expect(removed.text == "removed 'carol'\n", "\(removed.errors)")
        let left = try shell.run(
            "grep -c carol users codes recovery; credkit-server passkeys list carol \(Self.options)"
        )
        #expect(left.text == "users:0\ncodes:0\nrecovery:0\n", "\(left.errors)")
        #expect(left.status == 1)
        // The server ends the sessions when it has read the file.
        let ended = try shell.run(
            """
            kill -HUP \(site.server.processIdentifier)
            for i in {1..600}; do grep -q ' 2 users, 1 changed' '\(site.server.errorFile.path)' && break; sleep 0.05; done
            """
        )
        #expect(ended.status == 0)
        #expect(try browser.user() == nil)
        #expect(try run(shell, "delete carol").status == 1)
        #expect(try run(shell, "delete bob").status == 0)
        // Before anything of the user is changed.
        let last = try run(shell, "delete alice")
        #expect(last.status == 77, "\(last.errors)")
        #expect(try shell.run("cut -d: -f1 users").text == "alice\n")
    }

    /// Each step of a removal can fail, and the next one goes on.
    @Test func anInterruptedRemovalIsRepeated() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        _ = try shell.run("umask 077; printf 'bob:11\\n' > recovery")
        let interrupted = try shell.run(
            """
            flock -F codes sh -c 'touch held; exec sleep 600' > /dev/null 2>&1 &
            until [ -e held ]; do sleep 0.05; done
            credkit-server users delete bob \(Self.options); echo $?; kill $!; grep '^bob' users
            credkit-server check \(Self.options); credkit-server users delete bob \(Self.options); echo $?
            grep -c bob users codes recovery
            """
        )
        #expect(
            interrupted.text == "75\nbob:!\nok: 3 users\nremoved 'bob'\n0\nusers:0\ncodes:0\nrecovery:0\n",
            "\(interrupted.errors)"
        )
        // Of a user whose line was removed by hand.
        let left = try shell.run(
            """
            umask 077; printf 'nemo:otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ\\n' > codes
            credkit-server users list \(Self.options); echo $?
            credkit-server users delete nemo \(Self.options); echo $?; wc -c < codes
            """
        )
        #expect(left.text == "65\n1\n0\n", "\(left.errors)")
        #expect(
            left.errors.contains("there is no user 'nemo': 'credkit-server users delete'"),
            "\(left.errors)"
        )
    }

    /// The log says who has made a link, and the start alone warns of the options.
    @Test func commandsAreLogged() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        _ = try shell.run("rm codes; echo 'Zo\u{EB}:!' >> users")
        let checked = try shell.run("credkit-server check \(Self.options); ls codes")
        #expect(
            checked.text == "ok: 4 users\n" && checked.errors.contains("cannot use the sites"),
            "\(checked.errors)"
        )
        let site = try PasskeySite(
            shell,
            "--passkeys passkeys.json --account-changes --recovery-codes recovery"
        )
        #expect(try shell.run("stat -c %a codes; wc -c < codes").text == "600\n0\n")
        for (arguments, actions) in [
            ("set erin", ["userAdded"]), ("set erin", ["passwordSet"]), ("reset erin", ["resetMade"]),
            ("delete erin", ["userRemoved"]), ("invite fred", ["userAdded", "invitationMade"]),
            ("list", []),
        ] as [(String, [String])] {
            let done = try shell.run(
                "printf 'p q' | credkit-server users \(arguments) \(PasskeySite.options) \(AccountSite.options)"
            )
            #expect(done.status == 0, "\(done.errors)")
            let lines = done.errors.split(separator: "\n")
            #expect(lines.count == actions.count, "\(done.errors)")
            for (line, action) in zip(lines, actions) {
                let members = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
                )
                #expect(members["action"] == action)
                #expect(members["proof"] == "operator")
                #expect(members["operator"]?.isEmpty == false)
                #expect(members["user"] == String(arguments.split(separator: " ")[1]))
            }
        }
        let long = try run(shell, "reset \(String(repeating: "x", count: 256))")
        #expect(
            long.status == 64 && long.errors.contains("'reset' makes no links for names"),
            "\(long.errors)"
        )
        // The key of its links is left, and no server would accept one.
        #expect(site.server.stop() == 0)
        let late = try run(shell, "invite fred")
        #expect(late.status == 69, "\(late.errors)")
        #expect(late.text.isEmpty && late.errors.contains("no server runs"), "\(late.errors)")
    }

    @Test(.enabled(if: getuid() == 0, "only root can run as another user and give files away"))
    func filesOfAnotherUserAreNamed() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            "chown 65534 users; printf x | credkit-server users set erin \(Self.options)"
        )
        #expect(outcome.status == 73, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("it belongs to the user with the number 65534: run"),
            "\(outcome.errors)"
        )
        #expect(!outcome.errors.contains("remove it"), "\(outcome.errors)")
    }

    @Test func linksAreMadeForAServerThatRuns() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let early = try run(shell, "invite erin")
        #expect(early.status == 69)
        #expect(early.errors.contains("users.key: there is none"), "\(early.errors)")
        let site = try PasskeySite(
            shell,
            "--passkeys passkeys.json --account-changes --recovery-codes recovery"
        )
        let beginning = "\(PasskeySite.origin)/auth/link?token="
        for user in ["erin", "erin"] {
            let made = try run(shell, "invite \(user)")
            #expect(made.text.hasPrefix(beginning), "\(made.errors)")
            #expect(made.text.utf8.count > beginning.utf8.count + 64)
        }
        #expect(try shell.run("tail -1 users; stat -c %a users.key").text == "erin:!\n600\n")
        let reset = try run(shell, "reset alice")
        #expect(reset.text.hasPrefix(beginning), "\(reset.errors)")
        for (arguments, reason) in [
            ("invite alice", "use 'reset'"), ("reset erin", "use 'invite'"),
            ("reset nemo", "there is no user 'nemo'"),
        ] {
            let refused = try run(shell, arguments)
            #expect(refused.status == 1)
            #expect(refused.text.isEmpty)
            #expect(refused.errors.contains(reason), "\(refused.errors)")
        }
        // The site cannot get such a name.
        #expect(try run(shell, "invite 'Zoë'").status == 64)
        #expect(site.server.stop() == 0)
        let without = try shell.run("credkit-server users invite erin \(PasskeySite.options)")
        #expect(without.status == 64)
        #expect(without.errors.contains("requires --account-changes"), "\(without.errors)")
    }

    /// All users of a file may still have to choose their passwords.
    @Test func aServerStartsWithInvitedUsersAlone() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        _ = try shell.run("printf 'alice:!\\nbob:!\\n' > users")
        let refused = try shell.run("credkit-server check \(PasskeySite.options)")
        #expect(refused.status == 65, "\(refused.errors)")
        let outcome = try shell.run("credkit-server check \(Self.options)")
        #expect(outcome.text == "ok: 2 users\n", "\(outcome.errors)")
        #expect(!outcome.errors.contains("cannot log in"), "\(outcome.errors)")
    }

    @Test func aProgramGetsTheLink() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        _ = try shell.run(
            """
            printf '#!/bin/sh\\necho out\\necho message >&2\\ncat > %s/told\\n' "$PWD" > notify
            printf '#!/bin/sh\\nexit 3\\n' > failing
            cp notify open; chmod 700 notify failing; chmod 777 open
            """
        )
        let site = try PasskeySite(
            shell,
            "--passkeys passkeys.json --account-changes --recovery-codes recovery"
        )
        let folder = shell.folder.path
        let sent = try run(shell, "invite erin", "--notify-command \(folder)/notify")
        #expect(sent.text == "sent a link to 'erin'\n", "\(sent.errors)")
        #expect(sent.errors.hasSuffix("message\n"), "\(sent.errors)")
        #expect(sent.errors.contains(#""action":"invitationMade""#), "\(sent.errors)")
        let told = try shell.run("cat told; wc -l < told")
        let line = told.text.split(separator: "\n").first.map { String($0) } ?? ""
        let members = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        )
        #expect(members["event"] == "invitation")
        #expect(members["user"] == "erin")
        #expect(members["link"]?.hasPrefix("\(PasskeySite.origin)/auth/link?token=") == true)
        #expect(members["expires"]?.hasSuffix("Z") == true)
        #expect(told.text.hasSuffix("\n1\n"))
        for (program, status, reason) in [
            ("failing", 69, "it exited with 3"), ("none", 69, "cannot run"), ("open", 77, "open"),
        ] {
            let failed = try run(shell, "reset alice", "--notify-command \(folder)/\(program)")
            #expect(failed.status == status, "\(program): \(failed.errors)")
            #expect(failed.text.isEmpty)
            #expect(failed.errors.contains(reason), "\(program): \(failed.errors)")
            #expect(failed.errors.contains("'reset' can run again"), "\(program): \(failed.errors)")
            #expect(!failed.errors.contains("token="), "\(failed.errors)")
        }
        #expect(site.server.stop() == 0)
    }

    @Test(.enabled(if: TestForm.isDeep, "takes ten seconds"))
    func aProgramThatHangsIsKilled() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        _ = try shell.run(
            "printf '#!/bin/sh\\nsleep 1000 & echo $! > %s/pid; wait\\n' \"$PWD\" > notify; chmod 700 notify"
        )
        let site = try PasskeySite(
            shell,
            "--passkeys passkeys.json --account-changes --recovery-codes recovery"
        )
        let outcome = try run(shell, "reset alice", "--notify-command \(shell.folder.path)/notify")
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("did not end within 10 seconds"), "\(outcome.errors)")
        #expect(try shell.run("grep -q '^State:.[^Z]' /proc/$(cat pid)/status").status != 0)
        #expect(site.server.stop() == 0)
    }

    /// What cannot be written is named at the start, and the server runs without it.
    @Test func filesThatCannotBeWrittenAreNamed() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            mkdir fixed; cp users codes fixed; chmod 500 fixed
            options="--users fixed/users --otp-file fixed/codes --first-start --site \(PasskeySite.origin) \\
                --trusted-proxy 127.0.0.1 --listen 127.0.0.1:0 --account-changes --recovery-codes fixed/recovery"
            $UNPRIVILEGED credkit-server check $options; echo $?
            printf x | $UNPRIVILEGED credkit-server users set alice $options; echo $?
            $UNPRIVILEGED credkit-server users invite erin $options; echo $?
            $UNPRIVILEGED credkit-server users list $options | wc -l
            ls fixed | paste -sd' '; cmp users fixed/users; chmod 700 fixed
            """
        )
        #expect(outcome.text == "ok: 3 users\n0\n73\n73\n3\ncodes users\n", "\(outcome.errors)")
        for content in ["passwords", "one-time codes"] {
            #expect(
                outcome.errors.contains(
                    "users cannot change their \(content), since the file cannot be replaced: "
                ),
                "\(outcome.errors)"
            )
        }
    }

    /// Users of a table, which a command of several servers changes.
    @Test func aTableIsChanged() throws {
        let shell = try PasskeySite.shell()
        defer { shell.remove() }
        let database = try PostgreSQLServer()
        try database.run(
            """
            CREATE ROLE app LOGIN PASSWORD 'of-the-tests';
            CREATE TABLE public.people (name text PRIMARY KEY, hash text);
            GRANT SELECT, INSERT, UPDATE, DELETE ON public.people TO app;
            """
        )
        let state = try SharedStateServer("PostgreSQL", shell)
        try state.beginLongAgo()
        let table = """
            --users-database postgresql://app@127.0.0.1:\(database.port)/postgres --users-password-file users-password \
            --users-table public.people --users-name-column name --users-credential-column hash
            """
        let site =
            "--site \(PasskeySite.origin) --trusted-proxy 127.0.0.1 --listen 127.0.0.1:0 --account-changes"
        _ = try shell.run("umask 077; printf of-the-tests > users-password")
        func users(_ arguments: String, _ more: String) throws -> Shell.Outcome {
            try shell.run("printf 'p q' | credkit-server users \(arguments) \(table) \(site) \(more)")
        }
        let added = try users("set alice", state.options)
        #expect(added.text == "added 'alice'\n", "\(added.errors)")
        #expect(try users("set alice", state.options).text == "replaced the password of 'alice'\n")
        let invited = try users("invite bob", state.options)
        #expect(invited.text.hasPrefix("\(PasskeySite.origin)/auth/link?token="), "\(invited.errors)")
        #expect(try users("list", state.options).text == "alice\tpassword\nbob\tno password\n")
        #expect(try users("delete alice", state.options).text == "removed 'alice'\n")
        #expect(try users("delete alice", state.options).status == 1)
        #expect(try database.run("SELECT name, hash FROM public.people") == ([["bob", "!"]] as [[String]]))
        // No link opens an account that another text locks.
        try database.run("UPDATE public.people SET hash = NULL")
        let locked = try users("invite bob", state.options)
        #expect(locked.status == 1 && locked.text.isEmpty, "\(locked.errors)")
        #expect(locked.errors.contains("locked by another text than '!'"), "\(locked.errors)")
        try database.run("UPDATE public.people SET hash = '!'")
        // There is no key that a single server with a table and its commands share.
        let single = try users("invite bob", "")
        #expect(single.status == 69, "\(single.errors)")
        #expect(single.errors.contains("give --state"), "\(single.errors)")
        try database.run("REVOKE UPDATE ON public.people FROM app")
        let fixed = try users("set bob", state.options)
        #expect(fixed.status == 73, "\(fixed.errors)")
        #expect(fixed.errors.contains("users cannot change their passwords"), "\(fixed.errors)")
    }
}
