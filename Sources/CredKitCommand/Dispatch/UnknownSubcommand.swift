// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Names the subcommand that an unknown word was probably meant to be.
enum UnknownSubcommand {
    /// Throws `ValidationError` if a command line has an unknown word in place of a subcommand. The message does not
    /// repeat the word, which may be a password.
    static func check(_ arguments: [String]) throws {
        var rest = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        var type: any ParsableCommand.Type = CredKitCommand.self
        var path = "credkit"
        while let name = rest.first, let next = type.subcommand(name) {
            (type, path, rest) = (next, "\(path) \(name)", rest.dropFirst())
        }
        guard let word = rest.first, word != "help", !type.configuration.subcommands.isEmpty else { return }
        if let advice = SubcommandSynonym.advice(word, in: path) { throw ValidationError(advice) }
        guard !word.hasPrefix("-") else { return }
        let names = type.subcommandNames
        let unknown = "There is no such subcommand of '\(path)'"
        if let name = NearestWord.to(word, among: names) {
            throw ValidationError("\(unknown): did you mean '\(name)'?")
        }
        if path == "credkit", let group = CredKitCommand.groups.first(where: { $0.subcommand(word) != nil }) {
            throw ValidationError("\(unknown): did you mean 'credkit \(group.name) \(word)'?")
        }
        throw ValidationError(
            "\(unknown). There are \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")."
        )
    }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? "" }
    fileprivate static var subcommandNames: [String] { configuration.subcommands.map { $0.name } }
    /// The subcommands that have subcommands.
    fileprivate static var groups: [any ParsableCommand.Type] {
        configuration.subcommands.filter { !$0.configuration.subcommands.isEmpty }
    }

    fileprivate static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.name == name }
    }
}
