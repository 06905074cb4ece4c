// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitSystem

/// Programs that get a text on their standard input.
@Suite struct FedProgramTests {
    /// Runs a script as a program, in a folder of its own, and returns its status and what it wrote to the file `out`.
    private func run(
        _ script: String,
        input: [UInt8] = [],
        within limit: Duration = .seconds(60)
    ) throws -> (status: Int32?, out: String) {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let program = shell.folder.appendingPathComponent("program")
        try "#!/bin/bash\ncd '\(shell.folder.path)'\n\(script)\n".write(
            to: program,
            atomically: false,
            encoding: .utf8
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
        let status = try FedProgram.run(
            program.path,
            input: input,
            within: limit,
            without: "CREDKIT_TEST_HIDDEN",
            "cannot run"
        )
        let out = try? String(contentsOf: shell.folder.appendingPathComponent("out"), encoding: .utf8)
        return (status, out ?? "")
    }

    @Test func aProgramGetsTheTextAndNothingElse() throws {
        let inherited = open("/etc/passwd", O_RDONLY)
        defer { close(inherited) }
        setenv("CREDKIT_TEST_HIDDEN", "secret", 1)
        defer { unsetenv("CREDKIT_TEST_HIDDEN") }
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: FedProgram.maximumInputByteCount)
        let (status, out) = try run(
            // The folder that is listed, and the script, are open as well.
            "cat > out; echo >> out; echo \"$#\" >> out; env | grep -c CREDKIT_TEST_HIDDEN >> out; readlink /proc/$$/fd/0 >> out",
            input: text
        )
        #expect(status == 0)
        let lines = out.split(separator: "\n").map { String($0) }
        #expect(lines.count == 4)
        #expect(lines.first == String(decoding: text, as: UTF8.self))
        #expect(lines.dropFirst().prefix(2) == (["0", "0"] as [String])[...])
        #expect(lines.last?.hasPrefix("pipe:") == true)
    }

    @Test func whatItDoesNotReadIsNoError() throws {
        #expect(try run("exit 0", input: [1, 2, 3]).status == 0)
        #expect(try run("exec < /dev/null; exit 7", input: [1]).status == 7 << 8)
        #expect(try run("kill -TERM $$").status == SIGTERM)
    }

    @Test func aProgramIsKilledWithItsChildren() throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let pid = shell.folder.appendingPathComponent("pid").path
        let (status, _) = try run(
            "sleep 1000 & echo $! > '\(pid).new'; mv '\(pid).new' '\(pid)'; wait",
            within: .seconds(2)
        )
        #expect(status == nil)
        let child = try #require(Int32(try shell.run("cat pid").text.dropLast()))
        // Until the process that adopts it has seen its end, it is a zombie.
        let outcome = try shell.run(
            "for i in {1..600}; do grep -q '^State:.[^Z]' /proc/\(child)/status 2> /dev/null || exit 0; sleep 0.05; done; exit 1"
        )
        #expect(outcome.status == 0)
    }

    @Test func whatCannotRunIsAnError() throws {
        for (path, input) in [
            ("/nonexistent/program", 0), ("/etc/passwd", 0), ("/bin/true", 4097), ("/bin/true\0", 0),
        ] {
            #expect(throws: SystemError.self) {
                try FedProgram.run(
                    path,
                    input: [UInt8](repeating: 0, count: input),
                    within: .seconds(60),
                    without: "",
                    "cannot run"
                )
            }
        }
    }
}
