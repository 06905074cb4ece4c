// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

/// The options of a command, as the argument parser describes them. Only invalid command lines need it.
struct CommandOptions {
    private struct Description: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let names: [Name]?
        let parsingStrategy: String?
        let allValues: [String]?
    }

    /// How an option is written.
    private enum Form {
        case flag
        case withValue
        /// The value may begin with a hyphen.
        case withAnyValue
        /// The command does not have the option of this name.
        case unknown(String)
        /// The value stands in the same word, without `=`.
        case joined(String)
    }

    private var forms: [String: Form] = [:]
    /// The values of the options that take no others.
    private var values: [String: [String]] = [:]
    /// The same of the arguments that are not options, in their order.
    private var operandValues: [[String]] = []

    init(of command: any ParsableCommand.Type) { self.init(Self.describe(command)) }

    private init(_ command: Command?) {
        guard let command else { return }
        // The program answers it after every command.
        forms["--version"] = .flag
        for argument in command.arguments ?? [] {
            guard argument.kind != "positional" else {
                operandValues.append(argument.allValues ?? [])
                continue
            }
            let form: Form =
                argument.kind == "flag"
                ? .flag : argument.parsingStrategy == "unconditional" ? .withAnyValue : .withValue
            for name in argument.names ?? [] {
                let word = (name.kind == "long" ? "--" : "-") + name.name
                forms[word] = form
                values[word] = argument.allValues
            }
        }
    }

    private static func describe(_ command: any ParsableCommand.Type) -> Command? {
        let json = Data(command._dumpHelp().utf8)
        return try? JSONDecoder().decode(Description.self, from: json).command
    }

    /// Returns the command lines of all commands that have an option, such as `credkit keychain get`.
    static func commands(with option: String) -> [String] {
        func search(_ command: Command, _ parents: String) -> [String] {
            let path = parents + command.commandName
            let isLeaf = command.subcommands?.isEmpty ?? true
            return (isLeaf && CommandOptions(command).forms[option] != nil ? [path] : [])
                + (command.subcommands ?? []).flatMap { search($0, path + " ") }
        }
        return describe(CredKitCommand.self).map { search($0, "") } ?? []
    }

    /// The names, with their hyphens.
    var names: [String] { forms.keys.sorted() }

    /// Whether the command reads a password or another secret.
    var readsSecrets: Bool { forms.keys.contains { $0.hasSuffix("-fd") } }

    /// The words of a command line after the name of the command.
    struct Line {
        /// The words that are neither options nor their values.
        fileprivate(set) var operands: [String] = []
        /// The options that the command does not have: the word, which may have a value, and the name.
        fileprivate(set) var unknown: [(word: String, name: String)] = []
        /// The short options whose values are joined directly, which few options permit.
        fileprivate(set) var joined: [String] = []
        /// The values that resemble one that is taken.
        fileprivate(set) var misspelt: [(place: String, nearest: String)] = []
    }

    /// Splits the words of a command line. What stands after an unknown option counts as an operand, and may be its value.
    func split(_ words: ArraySlice<String>) -> Line {
        var line = Line()
        var rest = words
        while let word = rest.popFirst() {
            guard word != "--" else {
                line.operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                line.operands.append(word)
                continue
            }
            switch form(of: word) {
            case .unknown(let name): line.unknown.append((word, name))
            case .joined(let name): line.joined.append(name)
            case .flag: break
            case .withValue:
                guard let next = rest.first, Self.isValue(next) else { continue }
                rest = rest.dropFirst()
                if let nearest = Self.nearest(to: next, among: values[word] ?? []) {
                    line.misspelt.append(("the value of '\(word)'", nearest))
                }
            case .withAnyValue: rest = rest.dropFirst()
            }
        }
        for (operand, all) in zip(line.operands, operandValues) {
            if let nearest = Self.nearest(to: operand, among: all) {
                line.misspelt.append(("an argument", nearest))
            }
        }
        return line
    }

    /// Returns the value that another one was probably meant to be; `nil` if it is one, or resembles none.
    private static func nearest(to value: String, among values: [String]) -> String? {
        guard !values.contains(value) else { return nil }
        return NearestWord.to(value.lowercased(), among: values)
    }

    /// Returns whether an option is followed by a value in the next word.
    private func form(of word: String) -> Form {
        if word.hasPrefix("--") {
            let name = Self.name(of: word)
            guard let form = forms[name] else { return .unknown(name) }
            return name == word ? form : .flag
        }
        // Short options in one word.
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            switch forms["-\(letter)"] {
            case .flag: continue
            case let form? where letters.isEmpty: return form
            case _?: return letters.first == "=" ? .flag : .joined("-\(letter)")
            case nil: return .unknown("-\(letter)")
            }
        }
        return .flag
    }

    /// Whether a word is the value of the option before it. A negative number is an invalid value, not an option.
    private static func isValue(_ word: String) -> Bool {
        guard word.hasPrefix("-") else { return true }
        return word.dropFirst().first?.isNumber ?? true
    }

    /// Returns the name of an option, without a value that is joined to it: `--quiet`, `-q`.
    static func name(of word: String) -> String {
        word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
    }

    /// Returns the option that another one was probably meant to be.
    func nearest(to name: String) -> String? {
        guard name.hasPrefix("--") else {
            return [name.lowercased(), name.uppercased()].first { forms[$0] != nil }
        }
        let long = names.filter { $0.hasPrefix("--") }
        let completions = long.filter { $0.hasPrefix(name) }
        if name.utf8.count > 3, completions.count == 1 { return completions[0] }
        return NearestWord.to(String(name.dropFirst(2)), among: long.map { String($0.dropFirst(2)) })
            .map { "--\($0)" }
    }
}
