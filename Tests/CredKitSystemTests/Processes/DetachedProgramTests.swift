// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitSystem

@Suite struct DetachedProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a script, and returns what it writes to descriptor 9.
    private func output(of script: String, _ arguments: [String] = []) throws -> String {
        let pipe = folder["pipe"]
        #expect(mkfifo(pipe, 0o600) == 0)
        // The name of an interpreter is looked up in the path.
        let program = try folder.write("exec 9>'\(pipe)'\n\(script)\n", "program")
        let words = ["bash", program] + arguments
        try DetachedProgram.start(words, without: "CREDKIT_TEST_HIDDEN", "cannot start")
        let output = try Descriptor(open(pipe, O_RDONLY | O_CLOEXEC)).readAll(limit: 1 << 20)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func argumentsAreNotReadByAShell() throws {
        let words = ["$(id)", "a b", "`", "--", "https://a.example/?a=b&c='d'"]
        #expect(try output(of: #"printf '%s\n' "$@" >&9"#, words) == words.joined(separator: "\n") + "\n")
    }

    @Test func nothingIsInherited() throws {
        // Like those of a program's caller, this descriptor is not closed by execve(2).
        let file = open("/etc/passwd", O_RDONLY)
        let inherited = fcntl(file, F_DUPFD, 200)
        defer {
            close(file)
            close(inherited)
        }
        setenv("CREDKIT_TEST_HIDDEN", "hidden", 1)
        setenv("CREDKIT_TEST_HIDDEN_NOT", "visible", 1)
        defer {
            unsetenv("CREDKIT_TEST_HIDDEN")
            unsetenv("CREDKIT_TEST_HIDDEN_NOT")
        }
        let script = """
            readlink /proc/$$/fd/{0,1,2} >&9
            [ -e "/proc/$$/fd/$1" ] || echo closed >&9
            env | grep CREDKIT_TEST_HIDDEN >&9
            """
        let lines = try output(of: script, ["\(inherited)"]).split(separator: "\n").map(String.init)
        let expected = ["/dev/null", "/dev/null", "/dev/null", "closed", "CREDKIT_TEST_HIDDEN_NOT=visible"]
        #expect(lines == expected)
    }

    @Test func programHasASessionOfItsOwn() throws {
        // Fields of the process: the session, and the terminal.
        let output = try output(
            of: #"read -r -a fields </proc/$$/stat; echo "$$ ${fields[5]} ${fields[6]}" >&9"#
        )
        let fields = output.split(whereSeparator: \.isWhitespace)
        #expect(fields.count == 3)
        #expect(fields.first == fields.dropFirst().first)
        #expect(fields.last == "0")
    }

    @Test func missingProgramIsAnError() {
        do {
            try DetachedProgram.start(["credkit-no-such-program"], without: "", "cannot start it")
            Issue.record("there is no such program")
        } catch {
            #expect(error.kind == .notFound)
            #expect(error.description == "cannot start it: No such file or directory")
        }
        #expect(throws: SystemError.self) { try DetachedProgram.start([], without: "", "cannot start") }
        #expect(throws: SystemError.self) {
            try DetachedProgram.start(["true\0"], without: "", "cannot start")
        }
    }
}
