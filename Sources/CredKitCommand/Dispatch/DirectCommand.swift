// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Commands parsed by themselves, without the tree of all commands, which takes longer than what most of them do: the
/// argument parser looks up conformances by the thousand for it, each in a table of the whole program.
enum DirectCommand {
    /// The command that a command line names and nothing more, if there is nothing to say about it. Help, and what is wrong
    /// with a command line, are left to the whole tree, which knows the names of all commands above.
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

    /// The commands that are called most, found without the configurations of all that stand before them.
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
