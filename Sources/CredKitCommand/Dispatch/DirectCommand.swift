// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Parses a command directly, without the tree of all commands. Building the tree takes longer than the work of most
/// commands: the argument parser looks up thousands of conformances, each in a table of the whole program.
enum DirectCommand {
    /// Returns the command that a valid command line names. Returns `nil` for help and for errors: the tree of all
    /// commands handles these, because it knows the names of all parent commands.
    static func parse(_ arguments: [String]) -> (any ParsableCommand)? {
        var rest = arguments[...]
        var type: any ParsableCommand.Type = CredKitCommand.self
        if let command = topLevel(rest.first), command.configuration.commandName == rest.first {
            type = command
            rest = rest.dropFirst()
        }
        while let name = rest.first,
            let subcommand = type.configuration.subcommands.first(where: {
                $0.configuration.commandName == name
            })
        {
            type = subcommand
            rest = rest.dropFirst()
        }
        guard type.configuration.subcommands.isEmpty else { return nil }
        return parse(type, Array(rest))
    }

    /// Returns one of the most frequent commands, without evaluating the configurations of commands listed before it.
    private static func topLevel(_ name: String?) -> (any ParsableCommand.Type)? {
        switch name {
        case "keychain": KeychainCommand.self
        case "git-credential": GitCredentialCommand.self
        case "docker-credential": DockerCredentialCommand.self
        case "login": LoginCommand.self
        case "request": RequestCommand.self
        default: nil
        }
    }

    private static func parse<Command: ParsableCommand>(
        _ type: Command.Type,
        _ arguments: [String]
    ) -> (any ParsableCommand)? {
        guard let command = try? type.parseAsRoot(arguments) as? Command else { return nil }
        return command
    }
}
