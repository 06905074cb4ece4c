// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitServerCommand

/// The file of `--config`.
@Suite struct ConfigurationFileTests {
    private static let options = ConfigurationOption.all(of: CredKitServerCommand.self)

    private func parse(_ text: String, folder: String = "") throws -> ConfigurationFile {
        try ConfigurationFile(
            parsing: Array(text.utf8),
            named: "conf",
            folder: folder,
            options: Self.options
        )
    }

    @Test func optionsAreThoseOfTheCommandLine() {
        func option(_ takesValue: Bool, _ isRepeatable: Bool, _ isFile: Bool) -> ConfigurationOption {
            ConfigurationOption(takesValue: takesValue, isRepeatable: isRepeatable, isFile: isFile)
        }
        #expect(Self.options["users"] == option(true, false, true))
        #expect(Self.options["state-ca"] == option(true, false, true))
        #expect(Self.options["session-ttl"] == option(true, false, false))
        #expect(Self.options["mechanism"] == option(true, true, false))
        #expect(Self.options["trusted-proxy"] == option(true, true, false))
        #expect(Self.options["quiet"] == option(false, false, false))
        for name in ["config", "help", "version", "running", "q"] { #expect(Self.options[name] == nil) }
    }

    @Test func linesBecomeArgumentsBeforeThoseOfTheCommandLine() throws {
        let text = """
            # comment
            \tusers   a "file" # of 'users'\u{20}\u{20}
            mechanism form\r

            mechanism scram
              # another comment
            quiet
            state redis://127.0.0.1:6379
            tls-cert /etc/c.pem
            mock-key-file -
            """
        let file = try parse(text, folder: "/etc/x/")
        let all = [
            "--users=/etc/x/a \"file\" # of 'users'", "--mechanism=form", "--mechanism=scram", "--quiet",
            "--state=redis://127.0.0.1:6379", "--tls-cert=/etc/c.pem", "--mock-key-file=-",
        ]
        #expect(file.arguments(before: ["--attempts", "3"]) == all + ["--attempts", "3"])
        // An option of the command line replaces all lines of its name.
        let given = ["--mechanism", "timestamp", "--users=b"]
        #expect(
            file.arguments(before: given)
                == all.filter { !$0.hasPrefix("--mechanism") && !$0.hasPrefix("--users") } + given
        )
    }

    @Test(arguments: [
        ("nosuch x", 1, "there is no option 'nosuch'"), ("# a\n\nusers", 3, "'users' requires a value"),
        ("quiet yes", 1, "'quiet' takes no value"), ("users a\nlisten x\nusers b", 3, "is in line 1 already"),
        ("--users a", 1, "leave out the two hyphens"), ("users=a", 1, "does not begin with the name"),
        ("config other", 1, "there is no option 'config'"), ("help", 1, "there is no option 'help'"),
        ("quiet\nquiet", 2, "is in line 1 already"), ("users a\0b", 1, "NUL"),
        ("quiet\notp-file = Secret1", 2, "leave out the '='"),
        ("listen =\tSecret1", 1, "leave out the '='"),
        ("users =", 1, "leave out the '='"),
        ("key-phrase Secret1", 1, "key-phrase-file"), ("Secret1=Secret1", 1, "does not begin"),
    ])
    func wrongLinesAreNamedWithoutTheirValues(_ text: String, _ line: Int, _ reason: String) {
        let failure = #expect(throws: CommandFailure.self) { try parse(text) }
        #expect(failure?.status == .usage)
        let message = failure?.message ?? ""
        #expect(message.hasPrefix("conf: line \(line): ") && message.contains(reason), "\(message)")
        #expect(!message.contains("Secret1"))
    }

    @Test func aValueCanBeginWithAnEqualsSign() throws {
        #expect(try parse("users =a").arguments(before: []) == (["--users==a"] as [String]))
    }

    @Test func messagesOfTheParserNameTheLine() throws {
        let file = try parse("users a\nmechanism form\nmechanism magic\ntls-cert c\n")
        func message(_ text: String, _ commandLine: [String] = []) -> String? {
            file.failure(text, beside: commandLine)?.message
        }
        #expect(
            message("The value 'magic' is invalid for '--mechanism <mechanism>'.")
                == "conf: line 3: Invalid value for '--mechanism <mechanism>'."
        )
        let together = "--tls-cert and --tls-key must be given together."
        #expect(message(together) == "conf: line 4: \(together)")
        #expect(message(together, ["--tls-cert", "d"]) == nil)
        #expect(message("--drain-delay must be from 0 to 300 seconds.") == nil)
    }

    @Test func fileDecidesUnlessOthersCanChangeIt() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            umask 077; mkdir folder; cd folder
            printf 'alice:$1$abc$iCQ2D3nhptRYi27fDYv2s1\\n' | tee users > other
            printf 'bob:$1$abc$iCQ2D3nhptRYi27fDYv2s1\\n' >> other
            printf 'users users\\nlisten 127.0.0.1:0\\n' > conf; cd ..
            check() { credkit-server check "$@" 2>&1; echo $?; }
            check --config folder/conf
            check --config=folder/conf --users folder/other
            check --config folder/conf --config folder/conf
            check --config folder/none
            printf 'attempts many\\n' >> folder/conf
            check --config folder/conf
            check --config folder/conf --attempts 3
            credkit-server --config folder/conf 2>&1; echo $?
            chmod o+w folder/conf
            check --config folder/conf
            """
        )
        #expect(
            outcome.text == """
                ok: 1 users
                0
                ok: 2 users
                0
                credkit-server: give --config only once
                64
                credkit-server: folder/none: cannot open the file: No such file or directory
                74
                credkit-server: folder/conf: line 3: Invalid value for '--attempts <n>'
                64
                ok: 1 users
                0
                credkit-server: folder/conf: line 3: Invalid value for '--attempts <n>'
                64
                credkit-server: others can change folder/conf: run chmod o-w on it
                77

                """
        )
    }
}
