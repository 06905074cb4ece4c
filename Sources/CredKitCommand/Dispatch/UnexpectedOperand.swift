// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Names the option that a first argument was probably meant for, of commands that have options only and read no password.
/// Of other commands an unexpected argument may be a password.
enum UnexpectedOperand {
    /// Throws `ValidationError` if an invalid command line has an argument right after the name of such a command.
    static func check(_ arguments: [String]) throws {
        for (command, advice) in options where arguments.starts(with: command) {
            guard let argument = arguments.dropFirst(command.count).first, !argument.hasPrefix("-") else {
                continue
            }
            throw ValidationError("'credkit \(command.joined(separator: " "))' has options only: \(advice).")
        }
    }

    private static let options: [([String], String)] = [
        (["generate"], "give the number of characters with --length"),
        (["logout"], "name the session with --session"),
        (["sessions"], "it lists all; 'credkit request --session NAME URL' uses one"),
        (["upgrade"], "name the table with --input, and the new one with --output"),
        (["keychain", "doctor"], "name the store with --backend or --vault"),
        (["keychain", "lock"], "name the collection with --collection"),
        (["keychain", "unlock"], "name the collection with --collection"),
        (["keychain", "move"], "name the stores with --from and --to"),
    ]
}
