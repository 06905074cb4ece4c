// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// `credkit run`: what the command gets, and what it does not get.
@Suite(.serialized)
final class RunCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        _ = try shell.run(
            """
            printf s3cret | credkit keychain set s a; printf 'two\\nlines\\n' | credkit keychain set lines a --raw
            printf 'a\\0b' | credkit keychain set nul a; printf none | credkit keychain set s
            printf url | credkit keychain set https://example.com/path a/b%
            """
        )
    }

    deinit { shell.remove() }

    /// Runs a script, and compares what it prints.
    private func expect(
        _ script: String,
        _ output: String,
        _ status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try shell.run(script)
        #expect(outcome.text == output, "\(script): \(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.status == status, "\(script): \(outcome.errors)", sourceLocation: sourceLocation)
    }

    // MARK: The command

    @Test
    func statusAndSignalsAreThoseOfTheCommand() throws {
        try expect("credkit run --env A=s/a -- sh -c 'exit 7'", "", 7)
        try expect("credkit run --env A=s/a -- sh -c 'kill -TERM $$'; echo $?", "143\n")
        try expect(
            "credkit run --env A=s/a -- sh -c 'echo $$' > own & wait $!; [ $(cat own) = $! ] && echo same",
            "same\n"
        )
        try expect("echo input | credkit run --env A=s/a -- cat", "input\n")
        try expect(
            "credkit run --env A=s/a -- printf '%s\\n' --help -- '' 'a b' $'\\xff'",
            "--help\n--\n\na b\n\u{FFFD}\n"
        )
    }

    @Test
    func commandThatCannotRunHasTheStatusOfEnv() throws {
        try expect(
            "credkit run --env A=s/a -- no-such-command 2>&1",
            notRun("no-such-command", "No such file or directory"),
            127
        )
        try expect("touch f; credkit run --env A=s/a -- ./f 2>&1", notRun("./f", "Permission denied"), 126)
    }

    private func notRun(_ name: String, _ reason: String) -> String {
        "credkit: cannot run \(name): \(reason)\n"
    }

    @Test
    func withoutAnItemNothingIsRun() throws {
        for option in ["--env", "--fd"] {
            try expect(
                "credkit run --env A=s/a \(option) B=s/carol -- touch ran 2>&1; echo $?; ls | grep ran; :",
                "credkit: there is no item service=s account=carol (there is one with no account, and the account 'a')\n1\n"
            )
        }
    }

    /// The habit from env and docker.
    @Test(arguments: ["hunter2", "hunter2/x", "x/hunter2"])
    func valueInPlaceOfAnItemIsNotShown(_ value: String) throws {
        for option in ["--env", "--fd"] {
            let outcome = try shell.run(
                "credkit run \(option) A=\(value) -- touch ran; echo $?; ls | grep ran"
            )
            #expect(outcome.text == "1\n")
            #expect(outcome.errors.contains("\(option) A: there is no such item"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("hunter2"), "\(outcome.errors)")
        }
    }

    @Test
    func missingVaultIsRefused() throws {
        try expect("credkit run --vault no.vault --env A=s/a -- true", "", 74)
    }

    @Test
    func longSecretNeedsAFile() throws {
        try expect("head -c 140000 /dev/zero | tr '\\0' x | credkit keychain set big a", "")
        let outcome = try shell.run("credkit run --env A=big/a -- true")
        #expect(outcome.status == 126)
        #expect(outcome.errors.contains("a long secret needs --fd"), "\(outcome.errors)")
        try expect("credkit run --fd A=big/a -- sh -c 'wc -c < \"$A\"'", "140000\n")
    }

    @Test
    func variableThatIsGivenTwiceIsNamed() throws {
        let outcome = try shell.run("credkit run --env A=s/a --fd B=s/a --fd A=s/a -- true")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("The variable A is given twice."), "\(outcome.errors)")
    }

    @Test(arguments: [
        "-- true", "--env A=s/a", "--env A=s/a true", "--env A=s/a --fd A=s/a -- true", "--env A -- true",
        "--env =s/a -- true",
        "--env 1A=s/a -- true", "--env A-B=s/a -- true", "--env A=/a -- true", "--env A=s/%zz -- true",
        "--env A=s/a -- ''",
    ])
    func invalidCommandLinesAreRefused(_ line: String) throws { try expect("credkit run \(line)", "", 64) }

    // MARK: The environment

    @Test
    func environmentHasTheSecretsInPlaceOfOthers() throws {
        try expect(
            """
            export A=old B=kept
            credkit run --env A=s/a --env C=lines/a -- env > all; grep -c '^A=s3cret$' all; grep -c '^A=' all
            grep '^B=' all; grep -A 2 '^C=' all
            """,
            "1\n1\nB=kept\nC=two\nlines\n\n"
        )
        try expect(
            "env -i PATH=\"$PATH\" HOME=\"$HOME\" CREDKIT_BACKEND=vault CREDKIT_PASSPHRASE=tests credkit run --env A=s/a -- env | sort | cut -d = -f 1",
            "A\nCREDKIT_BACKEND\nHOME\nPATH\n"
        )
    }

    @Test
    func passphraseIsNotInherited() throws {
        try expect("credkit run --env A=s/a -- sh -c 'echo \"${CREDKIT_PASSPHRASE-none}\"'", "none\n")
        // A secret of this name is meant.
        try expect(
            "credkit run --env CREDKIT_PASSPHRASE=s/a -- sh -c 'echo \"$CREDKIT_PASSPHRASE\"'",
            "s3cret\n"
        )
        let isOpen = "if [ -e /proc/$$/fd/9 ]; then echo open; else echo closed; fi"
        try expect(
            """
            printf tests > passphrase; chmod 600 passphrase
            unset CREDKIT_PASSPHRASE
            credkit run --passphrase-fd 9 --env A=s/a -- sh -c '\(isOpen); cat' 9< passphrase < /dev/null
            credkit run --passphrase-file /dev/fd/9 --env A=s/a -- sh -c '\(isOpen)' 9< passphrase
            credkit run --passphrase-file - --env A=s/a -- sh -c 'cat /proc/$$/fd/0; cat' < passphrase
            credkit run --passphrase-file passphrase --env A=s/a -- sh -c '\(isOpen)' 9< passphrase
            """,
            "closed\nclosed\nopen\n"
        )
    }

    @Test
    func secretWithNULNeedsAFile() throws {
        try expect("credkit run --env A=nul/a -- touch ran; echo $?; ls | grep ran; :", "65\n")
        try expect("credkit run --fd A=nul/a -- sh -c 'od -An -tx1 \"$A\"'", " 61 00 62\n")
    }

    @Test(arguments: [
        ("s/", "none"), ("s", "none"), ("s/a", "s3cret"), ("s/%61", "s3cret"),
        ("https://example.com/path/a%2Fb%25", "url"),
    ])
    func itemsAreSplitAtTheLastSlash(_ item: String, _ secret: String) throws {
        try expect("credkit run --env A=\(item) -- sh -c 'echo \"$A\"'", "\(secret)\n")
    }

    // MARK: Files in memory

    @Test
    func filesCanBeReadAgainAndNotChanged() throws {
        try expect(
            """
            credkit run --fd A=s/a --fd B=lines/a -- bash -c '
                case $A in /dev/fd/*) cat "$A" "$A" <&${A##*/}; cat <&${A##*/}; echo; cat "$B";; esac
                stat -L -c "%a %s %F" "$A"; (echo x > "$A") 2> errors || echo refused; cat "$A"'
            """,
            "s3crets3crets3cret\ntwo\nlines\n400 6 regular file\nrefused\ns3cret"
        )
    }

    @Test
    func otherDescriptorsAreInherited() throws {
        try expect("echo x > f; credkit run --fd A=s/a -- sh -c 'cat <&8' 8< f", "x\n")
        let state = "for n in 0 1 2; do if [ -e /proc/$$/fd/$n ]; then echo $n; fi; done >&5"
        for closed in ["0<&-", "2>&-", "0<&- 2>&-", ""] {
            let expected = try shell.run("exec 5>&1; sh -c '\(state)' \(closed)").text
            try expect("exec 5>&1; credkit run --env A=s/a -- sh -c '\(state)' \(closed)", expected)
        }
    }

    // MARK: What credkit changes in its own process

    @Test
    func limitsAndSignalsAreThoseOfTheCaller() throws {
        try expect(
            """
            ulimit -S -c "$(ulimit -H -c)"; umask 027
            # The C library uses signal 33, and resets it.
            probe() {
                "$@" sh -c 'ulimit -S -c; ulimit -H -c; umask; sed -nE "s/^(Sig(Ign|Blk|Cgt)).*(.{8})$/\\1 \\3/p" /proc/self/status'
            }
            probe env --ignore-signal=QUIT --ignore-signal=CHLD --ignore-signal=PIPE --block-signal=USR1 > expected
            probe env --ignore-signal=QUIT --ignore-signal=CHLD --ignore-signal=PIPE --block-signal=USR1 \\
                credkit run --env A=s/a -- > found
            diff expected found && wc -l < found
            """,
            "6\n"
        )
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func memoryOfTheCommandIsOpenAgain() throws {
        // The files of a process that denies access to its memory belong to root.
        try expect(
            """
            chmod 755 . bin; mkdir mine; chown 54321:54321 mine; cd mine; export HOME=$PWD
            user='setpriv --reuid=54321 --regid=54321 --clear-groups'
            printf s3cret | $user credkit keychain set s a
            $user credkit run --env A=s/a -- sh -c 'stat -c %u /proc/$$/environ; cat /proc/$$/environ > copy; grep -c s3cret copy'
            """,
            "54321\n1\n"
        )
    }
}
