// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// What another process of the same user, who is not root, can read of the command's memory, and what the command itself
/// can still open.
final class ProcessMemoryTests: XCTestCase {
    private var shell: Shell!
    /// Runs a program as a user that does not exist.
    private static let user = "setpriv --reuid=54321 --regid=54321 --clear-groups"

    override func setUpWithError() throws {
        shell = try Shell()
        try XCTSkipUnless(geteuid() == 0, "only root can become another user")
        let outcome = try shell.run(
            "mkdir mine && chown 54321:54321 mine && \(Self.user) credkit --version"
        )
        try XCTSkipUnless(outcome.status == 0, "another user cannot run the command here: \(outcome.errors)")
    }

    override func tearDown() { shell.remove() }

    /// Runs a script as the other user, in a folder that is this user's home.
    private func run(_ script: String) throws -> Shell.Outcome {
        try script.write(
            to: shell.folder.appendingPathComponent("mine/script"),
            atomically: true,
            encoding: .utf8
        )
        return try shell.run("cd mine; export HOME=$PWD; exec \(Self.user) bash script")
    }

    /// Runs probes while a command waits for a key. Opening the pipe succeeds once the command has opened it.
    private func probe(_ variables: String = "") throws -> String {
        let probes = """
            probe() { if "$@" > /dev/null 2>&1; then echo readable; else echo denied; fi; }
            mkfifo pipe; env \(variables) credkit hash hmac-md5 --key-file pipe script > /dev/null & process=$!
            exec 3> pipe
            probe head -c 1 /proc/$process/environ; probe head -c 1 /proc/$process/maps
            probe readlink /proc/$process/fd/0; probe readlink /proc/$process/exe
            if [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ]; then
                probe bash -c ": < /proc/$process/mem"
                if command -v gdb > /dev/null; then
                    probe bash -c "gdb -nx -batch -p $process -ex 'info registers' 2>&1 | grep -q '^rip'"
                fi
            fi
            grep "Max core" /proc/$process/limits | tr -s ' ' | cut -d ' ' -f 1-5
            echo key >&3; exec 3>&-; wait $process && rm pipe
            """
        let outcome = try run("ulimit -c $(ulimit -Hc); \(probes)")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return outcome.text
    }

    func testOtherProcessesCannotReadTheMemory() throws {
        for value in ["", "CREDKIT_ALLOW_CORE_DUMPS=0", "CREDKIT_ALLOW_CORE_DUMPS="] {
            let text = try probe(value)
            XCTAssertFalse(text.contains("readable"), text)
            XCTAssertTrue(text.hasSuffix("Max core file size 0\n"), text)
        }
        let allowed = try probe("CREDKIT_ALLOW_CORE_DUMPS=1")
        XCTAssertFalse(allowed.contains("denied"), allowed)
        XCTAssertEqual(
            allowed.split(separator: "\n").count,
            try probe().split(separator: "\n").count,
            "the same probes succeed with the override"
        )
    }

    func testTracedCommandsRefuse() throws {
        let outcome = try run(
            """
            printf key > key
            strace -f -qq -o /dev/null credkit --version; echo $?
            strace -qq -o calls credkit hash hmac-md5 --key-file key script; echo $?
            grep -c 'openat.*"key"' calls
            CREDKIT_ALLOW_CORE_DUMPS=1 strace -f -qq -o /dev/null credkit hash hmac-md5 --key-file key script > /dev/null; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "77\n77\n0\n0\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains(" traces this one"), outcome.errors)
    }

    func testDescriptorsCanBeOpenedByName() throws {
        let outcome = try run(
            """
            export CREDKIT_BACKEND=vault; head -c 32 /dev/urandom > key
            printf s3cret | credkit keychain set s a
            for name in /dev/stdin /dev/fd/0 /proc/self/fd/0 /proc/thread-self/fd/0; do
                echo tests | env -u CREDKIT_PASSPHRASE credkit keychain get s a --passphrase-file $name
            done
            unset CREDKIT_PASSPHRASE
            credkit keychain get s a --passphrase-file <(echo tests)
            exec 3< <(echo tests); credkit keychain get s a --passphrase-file /dev/fd/3
            credkit keychain get s a --passphrase-fd 4 4< <(echo tests)
            credkit keychain slot add --new-key-file <(cat key) --passphrase-file <(echo tests) > slot || echo $?
            credkit keychain get s a --vault-key-file <(cat key)
            credkit keychain export --passphrase-file <(echo tests) --archive-passphrase-file <(echo e) exported || echo $?
            credkit hash md5 <(printf a) | cut -c 1-32; credkit base64 -o out <(printf a); cat out
            credkit base64 -o /dev/stdout <(printf a) | cat
            """
        )
        XCTAssertEqual(
            outcome.text,
            String(repeating: "s3cret", count: 8) + "0cc175b9c0f1b6a831c399e269772661\nYQ==\nYQ==\n",
            outcome.errors
        )
    }

    /// The kernel ignores the limit of core dumps where they are piped to a program. Needs to change that setting for the
    /// whole machine for a moment.
    func testCrashLeavesNoCoreDump() throws {
        try XCTSkipUnless(TestForm.isDeep, "CREDKIT_DEEP is not 1")
        let pattern = "/proc/sys/kernel/core_pattern"
        let before = try Data(contentsOf: URL(fileURLWithPath: pattern))
        let program = shell.folder.appendingPathComponent("dumped")
        try "#!/bin/sh\nexec cat > '\(shell.folder.path)/dump.'$1\n".write(
            to: program,
            atomically: true,
            encoding: .utf8
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        func set(_ text: Data) -> Bool {
            let descriptor = open(pattern, O_WRONLY)
            defer { close(descriptor) }
            return text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == text.count
        }
        try XCTSkipUnless(
            set(Data("|\(program.path) %P\n".utf8)),
            "the kernel's setting cannot be changed here"
        )
        defer { XCTAssertTrue(set(before)) }
        for (variables, count) in [("", 0), ("CREDKIT_ALLOW_CORE_DUMPS=1", 1)] {
            let outcome = try run(
                """
                ulimit -c 0; mkfifo pipe; env \(variables) credkit hash hmac-md5 --key-file pipe script & process=$!
                exec 3> pipe; kill -SEGV $process; wait $process; rm pipe; echo $process
                """
            )
            // The kernel waits for the program before the process ends.
            let dump = shell.folder.path + "/dump." + outcome.text.dropLast()
            XCTAssertEqual(FileManager.default.fileExists(atPath: dump), count == 1, outcome.errors)
        }
    }
}
