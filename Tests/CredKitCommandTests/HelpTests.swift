// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitCommand

final class HelpTests: XCTestCase {
    /// The verbs that a help text may begin with.
    private static let verbs: Set = [
        "Add", "Change", "Create", "Delete", "Encode", "Export", "Find", "Hash", "Import", "List", "Lock",
        "Log",
        "Manage", "Move", "Print", "Read", "Remove", "Repair", "Run", "Send", "Show", "Sign", "Store",
        "Unlock",
        "Upgrade",
        "Verify",
    ]

    private var shell: Shell!

    override func setUpWithError() throws { shell = try Shell() }
    override func tearDown() { shell.remove() }

    func testHelpBeginsWithAVerb() throws {
        let tree = CommandTree.shared
        XCTAssertGreaterThan(tree.help.count, 45)
        for (command, text) in tree.help {
            let words = text.split(separator: " ")
            XCTAssertEqual(words.first, "OVERVIEW:", command)
            XCTAssertTrue(Self.verbs.contains(String(words.dropFirst().first ?? "")), "\(command): \(text)")
        }
    }

    func testCommandPrintsItsHelp() throws {
        for command in ["", "hash md5", "keychain slot list"] {
            let outcome = try shell.run("credkit \(command) --help")
            XCTAssertEqual(outcome.status, 0, command)
            XCTAssertEqual(outcome.text, CommandTree.shared.pages[command], command)
        }
    }

    func testPagesOfLoginsAndSignaturesAnswerTheCommonUse() throws {
        for (limit, commands) in [
            (400, ["request", "login"]),
            (
                250,
                [
                    "logout", "sessions", "sign message", "sign verify message", "sign webhook",
                    "sign verify webhook", "users", "run",
                ]
            ),
        ] {
            for command in commands {
                let page = try XCTUnwrap(CommandTree.shared.pages[command], command)
                let count = page.split { $0 == " " || $0 == "\n" }.count
                XCTAssertLessThanOrEqual(count, limit, command)
            }
        }
        // The most used option stands first.
        let login = try XCTUnwrap(CommandTree.shared.pages["login"])
        let options = login.split(separator: "\n").filter { $0.hasPrefix("  --") }
        XCTAssertTrue(options.first?.hasPrefix("  --user ") == true, login)
    }

    func testTopicsExplainWhatPagesOnlyName() throws {
        let pages = CommandTree.shared.pages
        for (command, text) in CommandTree.shared.help {
            let page = try XCTUnwrap(pages[command])
            let topics = HelpPage.shared.filter { page.contains("see 'credkit help \($0.topic.rawValue)'") }
                .map(\.topic.text)
                .joined()
            for line in text.split(separator: "\n") where line.hasPrefix("  -") {
                // The names end before the value or the explanation.
                let name = line.split(separator: " ").prefix { $0.hasPrefix("-") }.last.map(String.init) ?? ""
                guard !["--version", "--help"].contains(name) else { continue }
                // A topic that is named alone explains all of its options.
                let isNamed = page.contains(name) || topics.contains("\(name) ")
                XCTAssertTrue(isNamed, "\(command) \(name)")
                let isExplained = page.contains("\(line)\n") || topics.contains("\(name) ")
                XCTAssertTrue(isExplained, "\(command) \(name)")
            }
        }
    }

    func testPagesOfHashesAreShort() {
        let commands = [
            "audit", "upgrade", "verify", "inspect", "calibrate", "generate", "base64", "hash", "blocklist",
        ]
        for (command, page) in CommandTree.shared.pages {
            guard let name = command.split(separator: " ").first, commands.contains(String(name)) else {
                continue
            }
            let limit = command == "upgrade" ? 400 : command == "audit" ? 300 : 250
            let count = page.split(whereSeparator: \.isWhitespace).count
            XCTAssertLessThanOrEqual(count, limit, command)
            // Values of these types have no text for people.
            XCTAssertFalse(page.contains("Argument("), command)
        }
    }

    func testPageNamesEveryCommand() throws {
        let file = TestScripts.root.appending(path: "docs/command.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let section = try XCTUnwrap(page.components(separatedBy: "\n## Commands\n").dropFirst().first)
        // Every second part stands between backticks.
        let parts = section.components(separatedBy: "\n## ")[0].components(separatedBy: "`")
        let named = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
        let commands = CommandTree.shared.commands.filter { !$0.isEmpty && !$0.contains(" ") }
        XCTAssertEqual(named.sorted(), commands.sorted())
    }

    func testTextsHaveNoRunsOfSpaces() throws {
        for (command, text) in CommandTree.shared.help {
            for line in text.components(separatedBy: "\nUSAGE:")[0].split(separator: "\n") {
                let words = line.trimmingCharacters(in: .whitespaces)
                XCTAssertFalse(words.contains("  "), "\(command): \(words)")
            }
        }
    }

    func testChecksHaveQuiet() throws {
        let tree = CommandTree.shared
        for command in [
            "verify", "sign verify message", "sign verify webhook", "keychain doctor", "keychain list",
            "hash md5", "hash hmac-sha256", "blocklist check", "otp verify", "users",
        ] {
            XCTAssertTrue(tree.help[command]?.contains("--quiet") == true, command)
        }
    }

    func testOptionsHaveOneMeaning() throws {
        for (command, text) in CommandTree.shared.help {
            for option in ["--scheme ", "--from ", "--key-file "] where text.contains("  \(option)") {
                let owners = [
                    "--scheme ": ["users"],
                    "--from ": ["keychain move"],
                    "--key-file ": ["hash hmac-", "sign webhook", "sign verify webhook", "keychain import"],
                ]
                let isOwner = owners[option]?.contains { command.hasPrefix($0) }
                XCTAssertTrue(isOwner == true, "\(command) has \(option)")
            }
        }
    }

    func testFastCommandsAreDescribedWithTheirOptions() throws {
        XCTAssertEqual(FastCommand.all.count, 6)
        for command in FastCommand.all {
            let name = command.path.joined(separator: " ")
            let text = try XCTUnwrap(CommandTree.shared.help[name], name)
            let words = text.split { ", \n".contains($0) }.map(String.init)
            for option in command.flags.union(command.options) {
                // The help shows the value of an option after its name.
                let index = try XCTUnwrap(words.firstIndex(of: option), "\(name) \(option)")
                let takesValue = words.dropFirst(index + 1).first?.hasPrefix("<") == true
                XCTAssertEqual(takesValue, command.options.contains(option), "\(name) \(option)")
            }
        }
    }

    func testFrequentCommandsHaveTheirNames() {
        for (name, command) in CommandDispatch.frequent {
            XCTAssertTrue(CredKitCommand.subcommand(name) == command, name)
        }
    }

    func testTopicsAreWholeAndFitATerminal() throws {
        let file = TestScripts.root.appending(path: "docs/command.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        // The first column of a table of the page, without its head.
        func names(_ section: String) throws -> [String] {
            let text = try XCTUnwrap(page.components(separatedBy: "\n## \(section)\n").dropFirst().first)
            return text.components(separatedBy: "\n## ")[0].split(separator: "\n").filter {
                $0.hasPrefix("|")
            }.dropFirst(2)
                .flatMap { $0.split(separator: "|")[0].split(separator: ",") }
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
        let variables = [
            "CREDKIT_BACKEND", "CREDKIT_VAULT", "CREDKIT_PASSPHRASE", "CREDENTIALS_DIRECTORY",
            "CREDKIT_ALLOW_CORE_DUMPS", "CREDKIT_KERNELS", "NO_COLOR", "http_proxy", "https_proxy",
            "all_proxy", "no_proxy", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
            "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
        ]
        let inspected = ["argon2id", "bcrypt", "md5-crypt", "scram-sha-256", "salted-md5", "ntlm"]
        for (topic, names) in [
            ("environment", variables), ("exit-codes", try names("Exit status")),
            ("formats", inspected),
            (
                "table-options",
                ["--as", "--hash-column", "--salt-column", "--header", "--to", "--keep-equivalent"]
            ),
            (
                "database-options",
                ["--database", "--table", "--id-column", "--batch", "--workers", "--lease"]
            ),
        ] {
            let outcome = try shell.run("credkit help \(topic)")
            XCTAssertEqual(outcome.status, 0, topic)
            let words = Set(outcome.text.split { ", \n".contains($0) }.map(String.init))
            XCTAssertGreaterThan(names.count, 5, topic)
            for name in names { XCTAssertTrue(words.contains(name), "\(topic): \(name)") }
            for line in outcome.text.split(separator: "\n") {
                XCTAssertLessThanOrEqual(line.count, 88, "\(line)")
            }
        }
        XCTAssertEqual(try shell.run("credkit help topics").status, 64)
    }

    func testWrongWordsNameTheRightOne() throws {
        for (line, message) in [
            ("hash legacy timestamp --key k --now", "a client certificate, requires --cert."),
            ("keychain lookup x", "did you mean 'credkit keychain get'?"),
            ("store x", "did you mean 'credkit keychain set'?"),
            ("rm x", "did you mean 'credkit keychain delete'?"),
            ("hash salted-md5 --salt x", "did you mean 'credkit hash legacy salted-md5'?"),
            ("hash -c sums", "did you mean 'credkit hash sha256 --check'?"),
            ("webhook github", "did you mean 'credkit sign webhook'?"),
            ("htpasswd f bob", "did you mean 'credkit users'?"), ("exec ls", "did you mean 'credkit run'?"),
        ] {
            let outcome = try shell.run("credkit \(line) < /dev/null")
            XCTAssertEqual(outcome.status, 64, line)
            XCTAssertTrue(outcome.errors.contains(message), "\(line): \(outcome.errors)")
        }
        for (line, name) in [
            ("keychai get", "keychain"), ("hash argon2", "argon2id"), ("keychain slot lst", "list"),
            ("verfy x", "verify"),
        ] {
            let outcome = try shell.run("credkit \(line) < /dev/null")
            XCTAssertEqual(outcome.status, 64, line)
            XCTAssertTrue(outcome.errors.contains("did you mean '\(name)'?"), "\(line): \(outcome.errors)")
        }
        XCTAssertFalse(try shell.run("credkit hash hunter2").errors.contains("did you mean"))
        // Words of values and operands mean themselves.
        XCTAssertEqual(try shell.run("printf 1 | credkit keychain set store show").status, 0)
        XCTAssertEqual(try shell.run("credkit keychain get store show").text, "1")
    }

    func testPasswordsOnTheCommandLineAreRefused() throws {
        for (line, way) in [
            ("login https://h --user alice:hunter2 --key-phrase k", "--password-file"),
            ("login https://alice:hunter2@h --user alice --key-phrase k", "--password-file"),
            ("request https://alice:hunter2@h/", "-H @FILE"),
            ("request https://h/ --proxy http://alice:hunter2@p:1", "--proxy-password-file"),
            ("request https://h/ --proxy http://p:1 --proxy-user alice:hunter2", "--proxy-password-file"),
            ("hash legacy timestamp --key-phrase k --server https://alice:hunter2@h", "--password-file"),
        ] {
            let outcome = try shell.run("credkit \(line) < /dev/null")
            XCTAssertEqual(outcome.status, 64, line)
            XCTAssertTrue(outcome.errors.contains(way), "\(line): \(outcome.errors)")
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
        }
    }
}
