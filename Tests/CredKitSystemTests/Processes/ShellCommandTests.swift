// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class ShellCommandTests: FileTestCase {
    /// Runs a command, and returns its output and its status.
    private func run(_ script: String, usesTerminal: Bool = false) throws -> (output: String, status: Int32) {
        let command = try ShellCommand(
            script,
            usesTerminal: usesTerminal,
            without: "CREDKIT_TEST_HIDDEN",
            "cannot run"
        )
        let output = try command.output.readAll(limit: 1 << 20)
        while true {
            if let status = try command.status() { return (String(decoding: output, as: UTF8.self), status) }
            usleep(1000)
        }
    }

    func testCommandInheritsNeitherDescriptorsNorASecret() throws {
        // Like those of a program's caller, this descriptor is not closed by execve(2).
        let inherited = open("/etc/passwd", O_RDONLY)
        defer { close(inherited) }
        setenv("CREDKIT_TEST_HIDDEN", "secret", 1)
        setenv("CREDKIT_TEST_HIDDEN_NOT", "visible", 1)
        defer {
            unsetenv("CREDKIT_TEST_HIDDEN")
            unsetenv("CREDKIT_TEST_HIDDEN_NOT")
        }
        for usesTerminal in [false, true] {
            // The descriptor 3 is the folder that is listed.
            XCTAssertEqual(try run("ls /proc/self/fd", usesTerminal: usesTerminal).output, "0\n1\n2\n3\n")
            let (output, status) = try run("cat; env | grep CREDKIT_TEST; exit 5", usesTerminal: usesTerminal)
            XCTAssertEqual(output, "CREDKIT_TEST_HIDDEN_NOT=visible\n")
            XCTAssertEqual(status, 5 << 8)
        }
    }

    func testClosedStandardStreamsDoNotMixUpThePipes() throws {
        // The pipes get the lowest free numbers.
        let copies = (0...2).map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        for number: Int32 in 0...2 { close(number) }
        let result = Result { try run("echo output; echo message >&2; readlink /proc/self/fd/0") }
        for (number, copy) in copies.enumerated() {
            dup2(copy, Int32(number))
            close(copy)
        }
        XCTAssertEqual(try result.get().output, "output\n/dev/null\n")
    }

    func testBlockedAndIgnoredSignalsAreNotInherited() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigfillset(&blocked)
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        let handler = signal(SIGPIPE, SIG_IGN)
        let result = Result { try run("grep -E 'Sig(Blk|Ign)' /proc/self/status") }
        signal(SIGPIPE, handler)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        let masks = try result.get().output.split(separator: "\n")
            .compactMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
        XCTAssertEqual(masks.count, 2)
        XCTAssertEqual(masks.first, 0)
        XCTAssertEqual((masks.last ?? .max) & 1 << UInt64(SIGPIPE - 1), 0)
    }

    func testAbandonedCommandIsKilledWithAllThatItStarted() throws {
        // The middle process ends, so that the last one has another parent; none of them heeds SIGTERM.
        let script = """
            trap '' TERM; cd '\(folder)'
            (sh -c 'echo $$ > orphan; exec sleep 1000' & )
            sh -c 'echo $$ > child; exec sleep 1000' > /dev/null 2>&1 &
            while [ ! -s orphan ] || [ ! -s child ]; do sleep 0.01; done
            echo ready; sleep 1000; echo
            """
        for usesTerminal in [false, true] {
            do {
                let command = try ShellCommand(script, usesTerminal: usesTerminal, without: "", "cannot run")
                XCTAssertEqual(try command.output.readAll(limit: 6), Array("ready\n".utf8))
            }
            for name in ["orphan", "child"] {
                let text = String(decoding: try content(name), as: UTF8.self)
                let process = try XCTUnwrap(pid_t(text.dropLast()))
                try waitForEnd(of: process)
                unlink("\(folder)/\(name)")
            }
        }
    }

    func testCommandIsKilledAsSoonAsItsCallerStopsWaiting() throws {
        for usesTerminal in [false, true] {
            let command = try ShellCommand(
                "(sleep 1000 & ); echo ready; sleep 1000",
                usesTerminal: usesTerminal,
                without: "",
                "cannot run"
            )
            XCTAssertEqual(try command.output.readAll(limit: 6), Array("ready\n".utf8))
            let token = CancellationToken(deadline: .now + .seconds(1000))
            command.kill(atStopOf: token)
            token.stop(.timedOut)
            // The pipe ends with the last process that holds it open; no other thread has to notice anything.
            try assertEnd(of: command.output)
        }
    }

    func testProcessesThatAreJustStartedAreKilledToo() throws {
        for _ in 0..<30 {
            // The end of the output is reached when all are gone.
            let command = try ShellCommand(
                "echo ready; sleep 1000 & sleep 1000 & sleep 1000",
                usesTerminal: true,
                without: "",
                "cannot run"
            )
            XCTAssertEqual(try command.output.readAll(limit: 6), Array("ready\n".utf8))
            let token = CancellationToken(deadline: .now + .seconds(1000))
            command.kill(atStopOf: token)
            token.stop(.cancelled)
            try assertEnd(of: command.output)
        }
    }

    /// Waits until no process can write to a pipe any more.
    private func assertEnd(of pipe: Descriptor, line: UInt = #line) throws {
        var input = pollfd(fd: pipe.number, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, 20_000) == 1 else { return XCTFail("a process was not killed", line: line) }
        XCTAssertEqual(try pipe.readAll(limit: 6), [], line: line)
    }

    /// Waits until a process has ended; its entry may remain for a while.
    private func waitForEnd(of process: pid_t) throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/stat")),
                !String(decoding: bytes, as: UTF8.self).contains(") Z ")
            else { return }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        XCTFail("the process \(process) was not killed")
    }

    func testServicesThatACommandStartsAreLeftAlone() throws {
        let script = """
            cd '\(folder)'; setsid sh -c 'echo $$ > service; exec sleep 1000' &
            while [ ! -s service ]; do sleep 0.01; done; echo ready; sleep 1000
            """
        do {
            let command = try ShellCommand(script, usesTerminal: true, without: "", "cannot run")
            XCTAssertEqual(try command.output.readAll(limit: 6), Array("ready\n".utf8))
        }
        let process = try XCTUnwrap(pid_t(String(decoding: try content("service"), as: UTF8.self).dropLast()))
        XCTAssertEqual(kill(process, SIGKILL), 0, "a service has left the group, and goes on")
    }

    func testUnknownEndIsAnError() throws {
        let handler = signal(SIGCHLD, SIG_IGN)
        defer { signal(SIGCHLD, handler) }
        XCTAssertEqual(
            failure { _ = try self.run("exit 3") }?.description,
            "cannot tell how a command ended: No child processes"
        )
    }
}
