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
        guard let word = rest.first, !word.hasPrefix("-"), word != "help", word.utf8.count <= 32 else {
            return
        }
        let nearest = type.configuration.subcommands.map { ($0.name, distance(word, $0.name)) }
            .min { $0.1 < $1.1 }
        guard let (name, steps) = nearest, steps <= max(1, name.utf8.count / 3) else { return }
        throw ValidationError("There is no such subcommand of '\(path)': did you mean '\(name)'?")
    }

    /// Returns the number of characters to insert, delete or replace to get from one word to another.
    static func distance(_ word: String, _ other: String) -> Int {
        let (word, other) = (Array(word.utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, byte) in word.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? "" }
}
