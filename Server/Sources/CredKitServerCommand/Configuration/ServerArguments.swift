// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// The command line, for the server, its check, its users and its passkeys with the file that `--config` names.
enum ServerArguments {
    /// Parses a command line.
    ///
    /// - Parameters:
    ///   - root: The command.
    ///   - arguments: The arguments after its name.
    /// - Returns: The command.
    /// - Throws: ``CommandFailure`` for what is wrong in the file, otherwise the error of the argument parser.
    static func parse(_ root: any ParsableCommand.Type, _ arguments: [String]) throws -> any ParsableCommand {
        let hasConfiguration =
            root is CredKitServerCommand.Type || root is CheckCommand.Type || root is PasskeysCommand.Type
            || root is UsersCommand.Type
        guard hasConfiguration, let name = try configuration(in: arguments) else {
            return try root.parseAsRoot(arguments)
        }
        let options = ConfigurationOption.all(of: CredKitServerCommand.self)
        let file = try ConfigurationFile(reading: name, options: options)
        do {
            return try root.parseAsRoot(file.arguments(before: arguments))
        } catch {
            guard root.exitCode(for: error) == .validationFailure,
                let failure = file.failure(root.message(for: error), beside: arguments)
            else { throw error }
            throw failure
        }
    }

    /// Returns the file that a command line names; `nil` if there is none, or only help is asked for.
    private static func configuration(in arguments: [String]) throws(CommandFailure) -> FileArgument? {
        let questions: Set = ["-h", "--help", "--version"]
        guard questions.isDisjoint(with: arguments) else { return nil }
        let beginning = "--config="
        var names: [String] = []
        for (index, argument) in arguments.enumerated() {
            if argument.utf8.starts(with: beginning.utf8) {
                names.append(
                    String(decoding: Array(argument.utf8.dropFirst(beginning.utf8.count)), as: UTF8.self)
                )
            } else if argument == "--config", let next = arguments.dropFirst(index + 1).first,
                next == "-" || !next.hasPrefix("-")
            {
                names.append(next)
            }
        }
        guard names.count <= 1 else { throw CommandFailure(.usage, "give --config only once") }
        return names.first.map { FileArgument(argument: $0) }
    }
}
