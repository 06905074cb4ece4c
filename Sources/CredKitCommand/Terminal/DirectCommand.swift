// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Commands that scripts and other programs call all the time, parsed without the tree of all commands, which takes as
/// long as what they do.
enum DirectCommand {
    /// The command of a command line, if it is one of these and there is nothing to say about it. Help, and what is wrong
    /// with a command line, are left to the whole tree, which knows the names of all commands above.
    static func parse(_ arguments: [String]) -> (any ParsableCommand)? {
        switch arguments.first {
        case "git-credential": parse(GitCredentialCommand.self, arguments.dropFirst())
        case "docker-credential": parse(DockerCredentialCommand.self, arguments.dropFirst())
        case "request": parse(RequestCommand.self, arguments.dropFirst())
        case "keychain" where arguments.count > 1 && arguments[1] == "get":
            parse(KeychainGetCommand.self, arguments.dropFirst(2))
        case "keychain" where arguments.count > 1 && arguments[1] == "set":
            parse(KeychainSetCommand.self, arguments.dropFirst(2))
        default: nil
        }
    }

    private static func parse<Command: ParsableCommand>(
        _ type: Command.Type,
        _ arguments: ArraySlice<String>
    ) -> (any ParsableCommand)? {
        guard let command = try? type.parseAsRoot(Array(arguments)) as? Command else { return nil }
        return command
    }
}
