// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Suggests the subcommand that an unknown word is nearest to.
enum UnknownSubcommand {
    /// Throws `ValidationError` if an invalid command line has an unknown word in place of a subcommand, and one that
    /// is known resembles it. The message does not repeat the word, which may be a password.
    static func check(_ arguments: [String]) throws {
        var type: any ParsableCommand.Type = CredKitCommand.self
        var path = "credkit"
        var rest = arguments[...]
        while let name = rest.first,
            let next = type.configuration.subcommands.first(where: { $0.name == name })
        {
            (type, path, rest) = (next, "\(path) \(name)", rest.dropFirst())
        }
        guard let word = rest.first, !word.hasPrefix("-"), word != "help",
            let name = NearestWord.to(word, among: type.configuration.subcommands.map { $0.name })
        else { return }
        throw ValidationError("There is no such subcommand of '\(path)': did you mean '\(name)'?")
    }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? "" }
}
