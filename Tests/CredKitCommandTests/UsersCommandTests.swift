// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// `credkit users`: files of htpasswd and credkit-server.
@Suite(.serialized)
final class UsersCommandTests {
    private let shell: Shell
    /// Costs that take no time.
    private static let cheap = "--scheme sha512-crypt --rounds 1000"

    init() throws { shell = try Shell() }

    deinit { shell.remove() }

    /// Runs a script, and compares what it prints.
    private func expect(
        _ script: String,
        _ output: String,
        _ status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try shell.run("cheap='\(Self.cheap)'\n\(script)")
        #expect(outcome.text == output, "\(script): \(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.status == status, "\(script): \(outcome.errors)", sourceLocation: sourceLocation)
    }

    // MARK: The four actions

    @Test
    func usersAreSetVerifiedListedAndDeleted() throws {
        let readers =
            "Apache and nginx do not read argon2id, credkit-server does: "
            + "for them, use --scheme bcrypt, sha512-crypt or yescrypt"
        try expect(
            "printf letmein | credkit users f set bob --create 2>&1; stat -c %a f; cut -c 1-14 f",
            "credkit: created f\ncredkit: added bob\ncredkit: \(readers)\n600\nbob:$argon2id$\n"
        )
        try expect(
            "printf x | credkit users chosen set bob --create --scheme argon2id 2>&1",
            "credkit: created chosen\ncredkit: added bob\n"
        )
        try expect("printf other | credkit users f set alice $cheap 2>&1", "credkit: added alice\n")
        try expect("printf letmein | credkit users f verify bob", "match\n")
        try expect("printf other | credkit users f verify bob", "mismatch\n", 1)
        try expect("printf other | credkit users f verify carol", "mismatch\n", 1)
        try expect("printf letmein | credkit users f verify bob --quiet", "")
        try expect("credkit users f list | cut -f 1,2", "bob\targon2id\nalice\tsha512-crypt\n")
        try expect("printf new | credkit users f set bob $cheap 2>&1", "credkit: replaced the hash of bob\n")
        try expect("printf new | credkit users f verify bob", "match\n")
        try expect("credkit users f delete bob 2>&1; cut -d : -f 1 f", "credkit: removed bob\nalice\n")
        try expect("credkit users f delete bob 2>&1", "credkit: f: there is no user bob\n", 1)
    }

    @Test
    func missingFileIsCreatedOnlyOnRequest() throws {
        try expect(
            "printf x | credkit users nowhere set bob $cheap 2>&1",
            missing(" (--create creates it)"),
            74
        )
        try expect("credkit users nowhere list 2>&1", missing(), 74)
        try expect("credkit users nowhere delete bob 2>&1; ls | grep nowhere", missing(), 1)
        try expect("printf x | credkit users no/where set bob --create $cheap", "", 73)
    }

    private func missing(_ advice: String = "") -> String {
        "credkit: nowhere: No such file or directory\(advice)\n"
    }

    @Test
    func verifiersHaveTheFormWithoutColons() throws {
        try expect(
            """
            printf x | credkit users f set bob --create --quiet --scheme scram-sha-256 --iterations 4096
            grep -c '^bob:{SCRAM-SHA-256}4096,[^:]*$' f; printf x | credkit users f verify bob
            """,
            "1\nmatch\n"
        )
    }

    @Test
    func endsOfLinesInAPasswordAreReported() throws {
        let added = "credkit: added bob\n"
        for (password, message) in [
            ("one\\ntwo\\n", "credkit: the password contains a line feed (--raw, if it is meant)\n"),
            ("one\\r\\n", "credkit: the password ends with a carriage return (--raw, if it is meant)\n"),
            ("one\\n", ""),
        ] {
            try expect(
                "rm -f f; : > f; chmod 600 f; printf '\(password)' | credkit users f set bob $cheap 2>&1",
                message + added
            )
        }
        try expect("printf 'a\\nb' | credkit users f set bob $cheap --raw -q 2>&1", "")
    }

    @Test
    func promptsNameTheUser() throws {
        _ = try shell.run("printf 'bob:!\\n' > f; chmod 600 f")
        let session = try TerminalSession(
            shell,
            ["credkit", "users", "f", "verify", "carol"],
            [["Password for carol: ", "secret\n"]]
        )
        #expect(session.status == 1)
        #expect(session.screen.contains("there is no user carol"), "\(session.screen)")
    }

    // MARK: What is kept

    @Test
    func otherLinesAndFieldsAreKept() throws {
        let first = "# comment: kept\\n\\nbob:$1$abc$iCQ2D3nhptRYi27fDYv2s1:Bob:0\\r\\n \\n"
        // A line of blanks is neither.
        try expect(
            "printf '\(first)' > f; credkit users f delete bob 2>&1",
            "credkit: f: line 4: not of the form NAME:HASH\n",
            65
        )
        try expect(
            """
            printf '# comment: kept\\n\\nbob:$1$abc$iCQ2D3nhptRYi27fDYv2s1:Bob:0\\r\\n#end\\nal:!' > f
            printf x | credkit users f set bob $cheap --quiet; printf x | credkit users f set carol $cheap --quiet
            sed 's/\\$6\\$[^:\\r]*/HASH/' f | od -An -c | tr -d ' \\n'
            """,
            "#comment:kept\\n\\nbob:HASH:Bob:0\\r\\n#end\\nal:!\\ncarol:HASH\\n"
        )
        try expect("credkit users f delete bob --quiet; head -n 3 f", "# comment: kept\n\n#end\n")
    }

    @Test
    func modeGroupAndLinkAreKept() throws {
        let group = getuid() == 0 ? "chgrp games f; " : ""
        try expect(
            """
            printf x | credkit users f set bob --create $cheap --quiet; chmod 640 f; \(group)ln -s f link
            before=$(stat -c '%a %u %g' f); printf x | credkit users link set bob $cheap --quiet
            [ "$before" = "$(stat -c '%a %u %g' f)" ] && readlink link
            """,
            "f\n"
        )
    }

    @Test
    func firstEntryOfANameCounts() throws {
        try expect(
            """
            hash=$(printf first | credkit hash sha512-crypt --rounds 1000); other=$(printf second | credkit hash bcrypt --cost 4)
            printf 'bob:%s\\nal:!\\nbob:%s\\n' "$hash" "$other" > f
            printf first | credkit users f verify bob 2> errors; grep -c 'several entries of bob' errors
            printf second | credkit users f verify bob 2> errors
            credkit users f list 2> errors | wc -l; grep -c 'several entries of bob' errors
            printf new | credkit users f set bob $cheap 2>&1; cut -d : -f 1 f
            """,
            """
            match
            1
            mismatch
            3
            1
            credkit: replaced the hash of bob
            credkit: removed 1 further entries of bob, which did not count
            bob
            al

            """
        )
    }

    @Test
    func namesAreComparedByTheirBytes() throws {
        try expect(
            """
            printf 1 | credkit users f set $'e\\u0301' --create $cheap --quiet
            printf 2 | credkit users f set $'\\u00e9' $cheap --quiet
            wc -l < f; printf 1 | credkit users f verify $'e\\u0301'; printf 2 | credkit users f verify $'\\u00e9'
            """,
            "2\nmatch\nmatch\n"
        )
    }

    // MARK: What is refused

    /// What should have written the password has failed.
    @Test
    func missingPasswordIsNoEmptyOne() throws {
        try expect(
            """
            credkit users f set bob --create $cheap < /dev/null; echo $?; ls | grep f
            printf x | credkit users f set bob --create $cheap --quiet; cp f before
            cat missing 2> errors | credkit users f set bob $cheap; echo $?; cmp f before
            echo | credkit users f set bob $cheap --quiet; printf '' | credkit users f verify bob
            """,
            "65\n65\nmatch\n"
        )
    }

    @Test(arguments: [
        #"{"name": "value"}"#, "root:x:0:0:root:/root:/bin/bash", "name: value", "bob", ":!",
        "bob:!letmein00letmein",
        "bob:letmein", "bob:97070e99c2efa11e14a1b6f5407b4209:salt", "-----BEGIN PRIVATE KEY-----",
    ])
    func otherFilesAreNotTouched(_ line: String) throws {
        try Data("al:!\n\(line)\n".utf8).write(to: shell.folder.appendingPathComponent("f"))
        try expect(
            """
            cp f before; for action in 'set carol' 'delete al' list 'verify bob'; do
                printf x | credkit users f $action 2> errors; echo $?; grep -c 'f: line 2: ' errors
            done; cmp f before
            """,
            String(repeating: "65\n1\n", count: 4)
        )
        #expect(try !shell.run("cat errors").text.contains(line))
    }

    /// `audit` and `upgrade` read shadow files, too.
    @Test
    func lockedUsersAndUsersWithoutAHashAreRead() throws {
        let hash = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"
        let lines = [
            "root:*:19000:0:99999:7:::", "daemon:!:19000::::::", "old:!!", "gone:*LK*",
            "ann:!\(hash):19000:0:99999:7:::",
            "open::19000::::::", "bob:\(hash):19000:0:99999:7:::",
        ]
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(
            to: shell.folder.appendingPathComponent("f")
        )
        try expect(
            "cp f before; credkit users f list; cmp f before",
            "root\tlocked\ndaemon\tlocked\nold\tlocked\ngone\tlocked\nann\tlocked\nopen\tempty\n"
                + "bob\tmd5-crypt\tdeprecated\n"
        )
        try expect("credkit users f list --json | head -n 1", "{\"name\":\"root\",\"scheme\":\"locked\"}\n")
        for name in ["root", "daemon", "old", "gone", "ann", "open"] {
            try expect("printf secret | credkit users f verify \(name)", "mismatch\n", 1)
        }
        try expect("printf secret | credkit users f verify bob", "match\n")
        // What changes a file reads users of htpasswd alone.
        try expect(
            "printf x | credkit users f set carol $cheap 2>&1 | cut -d : -f 1-3; cmp f before",
            "credkit: f: line 1\n"
        )
    }

    /// The user whose entry cannot be read can be mended.
    @Test(arguments: [
        "bob:", "bob:*", "bob:letmein", "bob:{PLAIN}letmein", "bob:97070e99c2efa11e14a1b6f5407b4209:salt",
        "bob:$6$damaged:x",
    ])
    func unreadableEntryIsReplacedOrRemoved(_ line: String) throws {
        try Data("al:!\n\(line)\ncarol:!\n".utf8).write(to: shell.folder.appendingPathComponent("f"))
        try expect(
            """
            cp f other; printf x | credkit users f set carol $cheap; echo $?; cmp f other
            printf x | credkit users f set bob $cheap 2>&1; sed 's/\\$6.*/HASH/' f
            printf x | credkit users f verify bob
            credkit users other delete bob 2>&1; cat other
            """,
            """
            65
            credkit: replaced the line of bob, which could not be read
            al:!
            bob:HASH
            carol:!
            match
            credkit: removed bob
            al:!
            carol:!

            """
        )
    }

    @Test(arguments: [
        "a:b", "'#a'", "' a'", "$'a\\nb'", "$'a\\xff'", "$'a\\u202e'", "''", "$(printf %0256d 0)",
    ])
    func namesThatAFileCannotHoldAreRefused(_ name: String) throws {
        try expect("printf x | credkit users f set \(name) --create; echo $?; ls | grep f; :", "64\n")
    }

    @Test
    func optionsOfOtherActionsAreRefused() throws {
        for line in [
            "list bob", "set", "list --create", "verify bob --scheme bcrypt", "set bob --json",
            "delete bob --password-fd 3",
            "set bob --scheme bcrypt --memory 64MiB", "set bob --scheme md5", "change bob",
        ] { try expect("credkit users f \(line) < /dev/null", "", 64) }
        let outcome = try shell.run("credkit users f set bob hunter2 < /dev/null")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--password-file") && !outcome.errors.contains("hunter2"))
        try expect("printf x | credkit users /dev/stdin verify bob", "", 64)
    }

    @Test
    func filesThatOthersCanChangeDecideNothing() throws {
        try expect(
            """
            printf x | credkit users f set bob --create $cheap --quiet; chmod 666 f
            printf x | credkit users f verify bob; echo $?; credkit users f list; echo $?
            cp -p f before; printf x | credkit users f set bob $cheap; echo $?; credkit users f delete bob; echo $?
            cmp f before
            """,
            "77\n77\n77\n77\n"
        )
    }

    // MARK: Several programs

    @Test
    func lockedFileIsWaitedFor() throws {
        try expect(
            """
            printf x | credkit users f set bob --create $cheap --quiet; cp f before
            flock f credkit users f delete bob --timeout 50ms; echo $?; cmp f before
            """,
            "75\n"
        )
        // The lock is released when the pipe ends.
        try expect(
            """
            mkfifo pipe; flock f sh -c 'echo locked; cat pipe' > state & until [ -s state ]; do :; done
            credkit users f delete bob --quiet & echo > pipe; wait $!; echo $?; wc -c < f
            """,
            "0\n0\n"
        )
    }

    private func compare(_ arguments: String) throws {
        let outcome = try shell.run("python3 '\(TestScripts.path("users_file.py"))' \(arguments)")
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    }

    @Test
    func eightWritersLoseNothing() throws { try compare("writers \(TestForm.isDeep ? 20 : 3)") }

    @Test
    func killedWritersLoseNothing() throws { try compare("kill 1 \(TestForm.isDeep ? 50 : 5)") }

    // MARK: Other programs

    @Test(arguments: [
        "bcrypt --cost 5", "sha512-crypt --rounds 1000", "sha256-crypt --rounds 1000", "yescrypt --cost 1",
    ])
    func webServersReadTheirSchemes(_ scheme: String) throws {
        try expect(
            """
            htpasswd -nbm other x > f; printf 'secret 1' | credkit users f set bob --scheme \(scheme) 2> errors
            grep -c Apache errors
            htpasswd -vb f bob 'secret 1' 2> errors; echo $?; htpasswd -vb f bob other 2> errors; echo $?
            cat > conf <<END
            daemon off; master_process off; pid $PWD/pid; error_log $PWD/nginx-errors;
            events {}
            http {
                access_log off; client_body_temp_path $PWD/t1; proxy_temp_path $PWD/t2; fastcgi_temp_path $PWD/t3;
                uwsgi_temp_path $PWD/t4; scgi_temp_path $PWD/t5;
                server {
                    listen unix:$PWD/socket; root $PWD;
                    location /open {}
                    location /page { auth_basic x; auth_basic_user_file $PWD/f; }
                }
            }
            END
            echo open > open; echo page > page
            nginx -e $PWD/nginx-errors -c $PWD/conf & server=$!
            get() { curl -s --noproxy '*' --unix-socket socket "$@"; }
            until get -f http://x/open || ! kill -0 $server; do :; done
            get -u 'bob:secret 1' http://x/page; get -u bob:other -o answer -w '%{http_code}\\n' http://x/page
            kill $server; wait $server
            """,
            "0\n0\n3\nopen\npage\n401\n"
        )
    }

    @Test
    func otherSchemesAreNotedForWebServers() throws {
        try expect(
            """
            htpasswd -nbm other x > f; printf x | credkit users f set bob 2>&1 | grep -c 'do not read argon2id'
            printf x | credkit users f set carol 2>&1 | grep -c 'do not read argon2id'
            htpasswd -D f other 2> errors; credkit users f list | cut -f 1
            """,
            "1\n0\nbob\ncarol\n"
        )
    }
}
