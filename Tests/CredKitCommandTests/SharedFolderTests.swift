// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import XCTest

/// What another user has put into a shared folder beforehand is neither followed nor written to, whatever option names it.
/// The kernel's own protection may be switched off, and does not see paths that a program resolves.
final class SharedFolderTests: ShellTestCase {
    private static let victim = "setpriv --reuid=54321 --regid=54321 --clear-groups"
    private var server: LoginServer?

    /// Commands that write the file `$F`: those that replace it, and those that create it.
    private static let replacing = [
        "printf x | credkit base64 -o $F", "credkit request -o $F $U/bytes",
        "credkit request -C - -o $F $U/bytes",
    ]
    private static let creating = [
        "credkit upgrade --input $S/table --output $F --as md5 --memory 64KiB --passes 1",
        "credkit blocklist build --output $F $S/words",
        "credkit keychain export --plain-json $F",
        "credkit keychain export --format keepass-xml $F",
        "credkit keychain export --archive-passphrase-file $S/words $F",
    ]

    override func setUpWithError() throws {
        try super.setUpWithError()
        try XCTSkipUnless(getuid() == 0, "only root can become another user")
        let outcome = try shell.run("\(Self.victim) credkit --version")
        try XCTSkipUnless(outcome.status == 0, "another user cannot run the command here: \(outcome.errors)")
        let server = try LoginServer(shell)
        self.server = server
        prefix = """
            S=$PWD; U=http://127.0.0.1:\(server.port); export HOME=$PWD/home
            as() { \(Self.victim) bash -c "S=$S; U=$U; F='$1'; $2"; }

            """
        try run(
            """
            chmod 755 .; echo a:0cc175b9c0f1b6a831c399e269772661 > table; echo long-passphrase > words
            mkdir -m 700 home home/folder; mkdir -m 1777 shared; echo mine > home/mine; mkfifo home/pipe
            chown -R 54321:54321 home; as x 'printf s3cret | credkit keychain set s a'
            """
        )
    }

    override func tearDown() {
        server?.stop()
        super.tearDown()
    }

    /// Runs each command as the victim on a path, after `plant` has run as root.
    private func refuse(
        _ commands: [String],
        _ path: String,
        _ plant: String,
        status: Int32 = 77,
        line: UInt = #line
    ) throws {
        for command in commands {
            let outcome = try shell.run(
                prefix + """
                    rm -rf shared/*; cd shared; \(plant)
                    cd ..; timeout 20 cat shared/pipe > got 2> /dev/null & as "\(path)" '\(command)'; status=$?
                    kill $! 2> /dev/null; cat home/mine; ls -A home/folder; cat got; exit $status
                    """
            )
            XCTAssertEqual(outcome.status, status, "\(command): \(outcome.errors)", line: line)
            XCTAssertEqual(outcome.text, "mine\n", "\(command): \(outcome.errors)", line: line)
        }
    }

    func testPlantedLinksAreNotFollowed() throws {
        let other = "chown -h 54322"
        for target in ["$S/home/mine", "$S/home/new", "second"] {
            try refuse(
                Self.replacing,
                "$S/shared/out",
                "ln -s \(target) out; ln -s $S/home/mine second; \(other) out second"
            )
        }
        // On the way: a link, a link to a link of root, and a folder that is a trap.
        for path in ["$S/shared/way/out", "$S/shared/way/../folder/out", "$S/shared/next/out"] {
            try refuse(
                Self.replacing + Self.creating,
                path,
                "ln -s $S/home/folder way; ln -s way next; \(other) way"
            )
        }
        try refuse(
            Self.replacing,
            "$S/shared/trap/mine",
            "mkdir trap; ln -s $S/home/mine trap; \(other) -R trap"
        )
        try refuse(
            Self.replacing + Self.creating,
            "$S/shared/trap/way/out",
            "mkdir trap; ln -s $S/home/folder trap/way; \(other) -R trap"
        )
        try refuse(
            ["credkit keychain export --format pass $F"],
            "$S/shared/way",
            "ln -s $S/home/folder way; \(other) way"
        )
    }

    func testPlantedPipesAndFilesAreNotWritten() throws {
        try refuse(Self.replacing, "$S/shared/pipe", "mkfifo -m 666 pipe; chown 54322 pipe")
        try refuse(Self.replacing, "$S/shared/out", "touch out; chmod 666 out; chown 54322 out")
        try refuse(
            Self.replacing,
            "$S/shared/out",
            "python3 -c 'import socket as s; s.socket(s.AF_UNIX).bind(\"out\")'; chmod 666 out; chown 54322 out"
        )
        // A second name of a file, a pipe or a link that belongs to the victim.
        try refuse(Self.replacing, "$S/shared/out", "ln $S/home/mine out")
        try refuse(Self.replacing, "$S/shared/pipe", "ln $S/home/pipe pipe")
        try refuse(
            Self.replacing,
            "$S/shared/out",
            "ln -sf $S/home/mine $S/home/link; chown -h 54321 $S/home/link; ln -P $S/home/link out"
        )
        // Names that must be new are only compared.
        try refuse(
            Self.creating,
            "$S/shared/out",
            "ln -s $S/home/folder/new out; chown -h 54322 out",
            status: 73
        )
    }

    /// A group that several users are in is as all users are.
    func testFoldersOfAGroupAreSharedToo() throws {
        let group = "chgrp 12345 .; chmod 770 .; chown 54321 ."
        let plant = "ln -s $S/home/mine out; chown -h 54322 out"
        for command in Self.replacing {
            let mended = "chown root:root shared; chmod 1777 shared"
            try run("rm -f shared/*; cd shared; \(group); \(plant); cd ..; as $S/shared/out '\(command)'", 77)
            try run("\(mended); cat home/mine | grep mine")
        }
    }

    func testOwnLinksAndThoseOfRootAreFollowed() throws {
        for owner in ["54321", "0"] {
            for command in Self.replacing {
                try run(
                    """
                    rm -f shared/*; ln -s $S/home/folder shared/way; ln -s way/out shared/out; touch home/folder/out
                    chown 54321 home/folder/out; chown -h \(owner) shared/*; as $S/shared/out '\(command)' || exit
                    test -L shared/out && test -s home/folder/out && rm home/folder/out
                    """
                )
            }
            for command in Self.creating {
                try run(
                    """
                    rm -f shared/*; ln -s $S/home/folder shared/way; chown -h \(owner) shared/way
                    as $S/shared/way/out '\(command)' || exit; test -s home/folder/out && rm home/folder/out
                    """
                )
            }
        }
        // In a folder that only its owner can write, the owner's links are followed, as by a shell.
        try run(
            """
            mkdir other; ln -s ../home/folder other/way; chown -hR 54322 other
            as $S/other/way/out 'printf x | credkit base64 -o $F'; cat home/folder/out
            """
        )
    }

    func testOwnPipesDevicesAndWhatIsOpenAreWritten() throws {
        let write = "printf x | credkit base64 -o $F"
        for file in [
            "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "-", "$S/shared/out",
        ] {
            let outcome = try run(
                "rm -f shared/*; ln -s /dev/stdout shared/out; as \(file) '\(write)' | cat; as /dev/null '\(write)'"
            )
            XCTAssertEqual(outcome.text, "eA==\n", file)
        }
        // What the caller has written before and writes after is kept.
        let outcome = try run(
            """
            as /dev/stdout 'exec > home/all; echo a; \(write); echo b' || exit; cat home/all
            as /dev/fd/7 'exec 7>> home/all; \(write)'; cat home/all
            """
        )
        XCTAssertEqual(outcome.text, "a\neA==\nb\na\neA==\nb\neA==\n")
        let pipe = "as $S/shared/p 'mkfifo $F; cat $F & \(write); wait; rm $F'"
        XCTAssertEqual(try run(pipe).text, "eA==\n")
        try run("as $S/shared/p 'printf x > $F; chmod 640 $F; \(write)'; stat -c %a shared/p | grep 640")
        try run("as /dev/stdout 'credkit request -C - -o $F $U/bytes'", 74)
    }

    /// Root is the victim whose files are worth the most.
    func testRootDoesNotFollowLinksOfOthers() throws {
        for command in Self.replacing {
            try run(
                """
                export HOME=$PWD/root; mkdir -p root; rm -f shared/*; echo mine > mine; ln -s ../mine shared/out; chown -h 54322 shared/out; F=$S/shared/out
                \(command)
                """,
                77
            )
            try run(
                "grep mine mine; chown -h 0 shared/out; export HOME=$S/root; F=$S/shared/out; \(command) && ! grep mine mine"
            )
        }
    }
}
