// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitCommand

/// The pages of all commands, as `--help` prints them: short, and whole on a terminal.
@Suite struct HelpPageTests {
    private let pages = CommandTree.shared.pages

    private func count(_ text: String) -> Int { text.split(whereSeparator: \.isWhitespace).count }

    /// The words that a page may have.
    private func limit(of command: String) -> Int {
        switch command {
        case "request", "login", "upgrade": 400
        case "audit", "": 300
        default: 250
        }
    }

    @Test func pagesAreShort() {
        for (command, page) in pages {
            let words = count(page)
            #expect(words <= limit(of: command), "credkit \(command)")
        }
    }

    @Test func allPagesTogetherAreShort() {
        let sum = pages.values.reduce(0) { $0 + count($1) }
        #expect(sum <= 9900, "all pages have \(sum) words")
    }

    @Test func pagesFitATerminal() {
        for (command, page) in pages {
            for line in page.split(separator: "\n") {
                #expect(line.count <= 80, "credkit \(command): \(line)")
            }
        }
    }

    @Test func pagesShowNoSwift() {
        for (command, page) in pages {
            for text in ["(bytes:", "FileArgument(", "Optional("] {
                #expect(!page.contains(text), "credkit \(command): \(text)")
            }
        }
    }

    /// The usage of a page names optional options only if it fits a line.
    @Test func usageIsShortened() throws {
        let page = try #require(pages["keychain slot add"])
        let whole = try #require(pages["keychain lock"])
        #expect(page.contains("\nUSAGE: credkit keychain slot add [<options>]\n"))
        #expect(whole.contains("\nUSAGE: credkit keychain lock [<options>]\n"))
        let text = """
            OVERVIEW: Print.

            USAGE: credkit x [--one <one> ...] [-t] --three <three> <file> [<other> ...] [--quiet] [--more <more>]

            OPTIONS:
              -t                      Print.
            """
        #expect(
            HelpPage.shortened(text).contains(
                "\nUSAGE: credkit x [<options>] --three <three> <file> [<other> ...]\n"
            )
        )
        let operands = (1...9).map { "<argument-\($0)>" }.joined(separator: " ")
        let long = HelpPage.shortened("OVERVIEW: Print.\n\nUSAGE: credkit x [--one] \(operands)")
        let lines = long.split(separator: "\n").map { String($0) }
        #expect(
            lines
                == ([
                    "OVERVIEW: Print.",
                    "USAGE: credkit x [<options>] <argument-1> <argument-2> <argument-3> <argument-4>",
                    "       <argument-5> <argument-6> <argument-7> <argument-8> <argument-9>",
                ] as [String])
        )
    }

    @Test func usageBelowAMessageIsShortened() {
        let usage =
            "Usage: credkit x [--one <one> ...] [-t] --three <three> <file> [<other> ...] [--more <more>]"
        #expect(
            HelpPage.shortenedUsage("Error: No.\n\(usage)\n  See it.")
                == "Error: No.\nUsage: credkit x [<options>] --three <three> <file> [<other> ...]\n  See it."
        )
    }

    @Test func sectionsWithoutOptionsAreLeftOut() {
        for (command, page) in pages {
            #expect(!page.contains("\nOPTIONS:\n\n"), "credkit \(command)")
            #expect(!page.hasSuffix("OPTIONS:\n"), "credkit \(command)")
        }
    }

    // MARK: The page of `credkit` itself

    private func root() throws -> String { try #require(pages[""]) }

    @Test func groupsHaveTheirTitles() throws {
        let titles = try root().split(separator: "\n").filter { $0.hasSuffix(":") && $0.uppercased() == $0 }
            .map { String($0.dropLast()) }
        #expect(titles == (["OPTIONS", "PASSWORDS", "TABLES", "SECRETS", "LOGINS", "ENCODINGS"] as [String]))
    }

    @Test func everySubcommandIsNamedOnce() throws {
        let lines = try root().split(separator: "\n")
        for command in CommandTree.shared.commands where !command.isEmpty && !command.contains(" ") {
            let named = lines.filter { $0.hasPrefix("  \(command) ") }
            #expect(named.count == 1, "credkit \(command)")
        }
    }

    @Test func everyTopicIsNamedAndFitsATerminal() throws {
        let words = Set(try root().split { ", \n.".contains($0) }.map { String($0) })
        for topic in HelpTopic.allCases {
            #expect(words.contains(topic.rawValue), "\(topic.rawValue)")
            #expect(HelpTopic(["help", topic.rawValue]) == topic)
            for line in topic.text.split(separator: "\n") {
                #expect(line.count <= 80, "\(topic.rawValue): \(line)")
            }
        }
    }

    /// Pages name no topic that does not exist.
    @Test func namedTopicsExist() {
        let topics = Set(HelpTopic.allCases.map(\.rawValue))
        let commands = Set(CommandTree.shared.commands)
        for (command, page) in pages {
            for part in page.components(separatedBy: "'credkit help ").dropFirst() {
                let text = part.split(separator: "'")[0].split(whereSeparator: \.isWhitespace)
                let name = text.joined(separator: " ")
                let isGeneral = name.hasSuffix("<subcommand>") || name == "TOPIC"
                #expect(
                    isGeneral || topics.contains(name) || commands.contains(name),
                    "credkit \(command): \(name)"
                )
            }
        }
    }

    @Test func examplesWork() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let examples = try root().split(separator: "\n")
            .drop { $0 != "For instance:" }.dropFirst().prefix { $0.hasPrefix("  ") }
        #expect(examples.count == 4)
        let outcome = try shell.run((["set -e"] + examples.map { String($0) }).joined(separator: "\n"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text == "match\ns3cret")
    }
}
