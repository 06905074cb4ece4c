// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// Names the options and arguments of an invalid command line that its command does not have, and what was probably
/// meant. The value of an option is never repeated: it may be a secret.
enum UnknownOption {
    /// Throws ``CommandFailure`` for the first such option, or for an argument too many that is hardly a secret.
    static func check(_ arguments: [String]) throws {
        let answered = ["--help", "-h", "-help", "--help-hidden", "-help-hidden", "--version"]
        let options = arguments.prefix { $0 != "--" }
        guard arguments.first != "help", !options.contains(where: { answered.contains($0) }),
            !options.contains(where: {
                $0.hasPrefix("--generate-completion-script") || $0 == "--experimental-dump-help"
            })
        else { return }
        let called = CalledCommand(arguments)
        guard called.type.configuration.subcommands.isEmpty else { return try checkGroup(called) }
        let known = CommandOptions(of: called.type)
        guard !known.names.isEmpty else { return }
        let line = known.split(called.rest)
        if let (word, name) = line.unknown.first {
            throw CommandFailure(.usage, message(word, name, of: called, known))
        }
        // base64's -w0 is coreutils'.
        if let name = line.joined.first, called.words != ["base64"] {
            throw CommandFailure(.usage, "'\(called.path)' takes the value of '\(name)' as a word of its own")
        }
        if called.words == ["users"] { try checkUsers(line.operands) }
        if let (place, nearest) = line.misspelt.first {
            throw CommandFailure(.usage, "'\(called.path)': \(place) is invalid: did you mean '\(nearest)'?")
        }
        try checkOperands(called, line, known)
    }

    /// Names the action of `credkit users` that other words stand for.
    private static func checkUsers(_ operands: [String]) throws {
        let actions = UsersCommand.Action.allCases.map(\.rawValue)
        guard operands.count > 1, !actions.contains(operands[1]) else { return }
        guard !actions.contains(operands[0]) else {
            throw CommandFailure(.usage, "'credkit users': the file stands before '\(operands[0])'")
        }
        let synonyms = [
            "add": "set", "create": "set", "update": "set", "passwd": "set", "remove": "delete",
            "rm": "delete",
            "del": "delete", "check": "verify", "ls": "list", "show": "list",
        ]
        guard let action = synonyms[operands[1]] else { return }
        throw CommandFailure(.usage, "'credkit users': did you mean 'credkit users FILE \(action)'?")
    }

    /// An option in place of a subcommand.
    private static func checkGroup(_ called: CalledCommand) throws {
        guard let word = called.rest.first, word.hasPrefix("-"), word != "-", word != "--" else { return }
        let name = CommandOptions.name(of: word)
        if let (name, advice) = OptionSynonym.find(word, of: called.words) {
            throw CommandFailure(.usage, "\(unknown(name, called)): \(advice)")
        }
        var (type, path) = (called.type, called.path)
        for word in called.rest {
            guard let subcommand = type.subcommand(word) else { continue }
            (type, path) = (subcommand, "\(path) \(word)")
        }
        if path == called.path { path += " COMMAND" }
        let example = "\(path) \(shown(name) ?? "--OPTION")"
        throw CommandFailure(
            .usage,
            "\(unknown(name, called)): options follow the subcommand, as in '\(example)'; see '\(called.path) --help'"
        )
    }

    private static func message(
        _ word: String,
        _ name: String,
        of called: CalledCommand,
        _ known: CommandOptions
    ) -> String {
        if let (name, advice) = OptionSynonym.find(word, of: called.words) {
            return "\(unknown(name, called)): \(advice)"
        }
        let unknown = unknown(name, called)
        if OptionSynonym.isSecret(word), known.readsSecrets {
            return "\(unknown): \(OptionSynonym.secretAdvice)"
        }
        if let nearest = known.nearest(to: name) { return "\(unknown): did you mean '\(nearest)'?" }
        // The topic of the same name is another text.
        let isTopic = HelpTopic.allCases.contains { [$0.rawValue] == called.words }
        let help =
            isTopic
            ? "'\(called.path) --help' lists its options"
            : "'\((["credkit", "help"] + called.words).joined(separator: " "))' lists its options"
        let others = name.hasPrefix("--") ? CommandOptions.commands(with: name) : []
        guard 1...3 ~= others.count else { return "\(unknown); \(help)" }
        return "\(unknown): it is one of \(others.map { "'\($0)'" }.joined(separator: ", ")); \(help)"
    }

    private static func unknown(_ name: String, _ called: CalledCommand) -> String {
        shown(name).map { "'\(called.path)' has no option '\($0)'" } ?? "'\(called.path)' has no such option"
    }

    /// The name of an option; `nil` if it does not look like one, such as a secret that begins with hyphens.
    private static func shown(_ name: String) -> String? {
        name.utf8.count <= 32 && isPlain(name) ? name : nil
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./".utf8.contains(byte)
            }
        }
    }

    /// Throws ``CommandFailure`` if a command has an argument too many: with the argument, of commands that have nothing
    /// to do with single passwords, or with the options for a secret that is no password.
    private static func checkOperands(
        _ called: CalledCommand,
        _ line: CommandOptions.Line,
        _ known: CommandOptions
    ) throws {
        guard let last = line.operands.last else { return }
        let message: String
        if [["audit"], ["calibrate"]].contains(called.words), last.utf8.count <= 64, isPlain(last) {
            message = "'\(called.path)' does not take the argument '\(last)'; see '\(called.path) --help'"
        } else if let name = ["code", "secret"].first(where: { known.names.contains("--\($0)-fd") }) {
            message =
                "'\(called.path)' has an argument too many, which is not shown here: give the \(name) with "
                + "--\(name)-fd or --\(name)-file, at the prompt, or on standard input"
        } else {
            return
        }
        do {
            _ = try called.type.parseAsRoot(Array(called.rest))
        } catch {
            guard called.type.message(for: error) == UnexpectedArguments.error.description else { return }
            throw CommandFailure(.usage, message)
        }
    }
}

/// The command that a command line names.
struct CalledCommand {
    /// The command, or its default subcommand.
    private(set) var type: any ParsableCommand.Type = CredKitCommand.self
    /// The words that name it, without the program.
    private(set) var words: [String] = []
    /// The words after its name.
    private(set) var rest: ArraySlice<String>

    init(_ arguments: [String]) {
        rest = arguments[...]
        while let name = rest.first, let next = type.subcommand(name) {
            type = next
            words.append(name)
            rest = rest.dropFirst()
        }
        if let subcommand = type.configuration.defaultSubcommand { type = subcommand }
    }

    /// The words that name it, with the program.
    var path: String { (["credkit"] + words).joined(separator: " ") }
}
