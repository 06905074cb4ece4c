// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitCommand

/// Mistakes that people make, each of which ends with a message that names the way out.
@Suite struct MistakeTests {
    private func answer(_ mistake: Mistake) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            \(Mistake.files)
            unset CREDKIT_PASSPHRASE CREDKIT_BACKEND DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=$PWD
            printf '\(mistake.input)' > bin/input
            \(mistake.isUnprivileged ? "$UNPRIVILEGED" : "") credkit \(mistake.line) < bin/input
            """
        )
        #expect(outcome.status == mistake.status, "\(outcome.errors)")
        #expect(outcome.errors.contains(mistake.way), "\(outcome.errors)")
        #expect(outcome.text == "")
        #expect(!outcome.errors.contains("hunter2"), "\(outcome.errors)")
    }

    @Test(arguments: Mistake.words)
    func wordThatIsNoCommand(mistake: Mistake) throws { try answer(mistake) }

    @Test(arguments: Mistake.options)
    func optionOfAnotherTool(mistake: Mistake) throws { try answer(mistake) }

    @Test(arguments: Mistake.secrets)
    func secretOnTheCommandLine(mistake: Mistake) throws { try answer(mistake) }

    @Test(arguments: Mistake.signing)
    func signatureOfAnotherForm(mistake: Mistake) throws { try answer(mistake) }

    @Test(arguments: Mistake.values)
    func valueOfAnotherForm(mistake: Mistake) throws { try answer(mistake) }

    @Test(arguments: Mistake.hashes)
    func hashThatIsSomethingElse(mistake: Mistake) throws { try answer(mistake) }

    @Test(arguments: Mistake.unusableFiles)
    func fileThatCannotServe(mistake: Mistake) throws { try answer(mistake) }

    @Test func thereAreAHundred() {
        let all =
            Mistake.words + Mistake.options + Mistake.secrets + Mistake.values + Mistake.hashes
            + Mistake.signing + Mistake.unusableFiles
        #expect(all.count >= 150)
        #expect(Set(all.map(\.line)).count == all.count)
    }

    /// `md5sum` and mail programs write such files.
    @Test func aWindowsLineEndingOfAHashFileIsNotPartOfTheHash() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            printf '5f4dcc3b5aa765d61d8327deb882cf99\\r\\n' > hash
            printf password | credkit verify --as md5 --hash-file hash --quiet
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func waitingForInputAtATerminalSaysSo() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let session = try TerminalSession(
            shell,
            ["credkit", "hash", "md5"],
            [["ends the input)", "abc\n\u{4}"]]
        )
        #expect(session.status == 0, "\(session.screen)")
        #expect(session.screen.contains("0bee89b07a248e27c83fc3d5951213c1  -"), "\(session.screen)")
    }

    @Test func messagesOfTheParserDoNotRepeatValues() {
        for (message, shorter) in [
            ("The value 'x' is invalid for '--fd <n>': why", "Invalid value for '--fd <n>': why"),
            (
                "The value 'x' is invalid for '--as <a>'. Try:\n  - b",
                "Invalid value for '--as <a>'. Try:\n  - b"
            ),
            ("The value 'x' is invalid for 'y' is invalid for '--fd <n>'", "Invalid value for '--fd <n>'"),
            (
                "The option '--raw' does not take any value, but 'x' was specified.",
                "The option '--raw' does not take a value."
            ),
        ] {
            #expect(CommandExit.withoutValue(message) == shorter)
        }
        #expect(CommandExit.withoutValue("Give the URL.") == nil)
    }

    // MARK: What is known of options

    /// The options that the help of a command lists are those that advice knows.
    @Test func optionsOfAllCommandsAreKnown() throws {
        for path in CommandTree.shared.commands where !path.isEmpty {
            let words = path.split(separator: " ").map { String($0) }
            let called = CalledCommand(words)
            guard called.words == words, called.type.configuration.subcommands.isEmpty else { continue }
            let known = Set(CommandOptions(of: called.type).names)
            for line in (CommandTree.shared.help[path] ?? "").split(separator: "\n")
            where line.hasPrefix("  -") {
                let label = line.dropFirst(2).split(separator: "  ").first ?? ""
                for name in label.split(whereSeparator: { ", /".contains($0) })
                where name.hasPrefix("-") && name.utf8.count > 1 {
                    #expect(known.contains(String(name)), "\(path): \(name)")
                }
            }
        }
    }
}
