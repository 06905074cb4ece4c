// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// Turns a command line into a command with its values, runs it, and turns its result into an exit status. Commands
/// themselves are a description of their arguments and a body.
///
/// Command lines that scripts run most often do not wait for the argument parser: see ``FastCommand``. Other valid ones
/// are parsed without the tree of all commands. Everything else, such as help and errors, is left to the tree.
enum CommandDispatch {
    /// The most frequent commands by their names, which are found without evaluating the configuration of another one.
    static var frequent: [(name: String, command: any ParsableCommand.Type)] {
        [
            ("keychain", KeychainCommand.self), ("git-credential", GitCredentialCommand.self),
            ("docker-credential", DockerCredentialCommand.self), ("login", LoginCommand.self),
            ("request", RequestCommand.self),
        ]
    }

    /// Runs the command that the process was called for.
    static func run() {
        var commandLine: [String] = []
        do {
            if try FastCommand.run() { return }
            commandLine = CalledName.arguments + RawArguments.commandLine
            if let topic = HelpTopic(commandLine) { return try StandardStreams.writeLine(topic.text) }
            var command = try parse(commandLine)
            try command.run()
        } catch {
            if let failure = CommandFailure(reporting: error) {
                CommandExit.leave(failure, from: "credkit")
            }
            CommandExit.leave(
                error,
                from: CredKitCommand.self,
                commandLine,
                page: HelpPage.shortened,
                problem: HelpPage.shortenedUsage
            )
        }
    }

    /// Returns the command with its values.
    private static func parse(_ commandLine: [String]) throws -> any ParsableCommand {
        let arguments = Arguments(commandLine)
        let command: any ParsableCommand
        if commandLine.first == "---completion" {
            // The words that a shell wants completed are not a command line yet.
            command = try CredKitCommand.parseAsRoot(commandLine)
        } else if let valid = parseWithoutTree(arguments.parsed) {
            command = valid
        } else {
            try CommandLineAdvice.check(arguments.parsed)
            command = try CredKitCommand.parseAsRoot(arguments.parsed)
        }
        guard var withOperands = command as? any FileOperands else { return command }
        withOperands.files = arguments.operands
        return withOperands
    }

    /// Returns the command that a valid command line names. Building the tree of all commands takes longer than the
    /// work of most: the argument parser looks up thousands of conformances, each in a table of the whole program.
    ///
    /// - Returns: The command; `nil` for help and for errors. The tree handles these, because it knows the names of all
    ///   parent commands.
    private static func parseWithoutTree(_ arguments: [String]) -> (any ParsableCommand)? {
        var rest = arguments[...]
        var type: any ParsableCommand.Type = CredKitCommand.self
        if let (_, command) = frequent.first(where: { $0.name == rest.first }) {
            (type, rest) = (command, rest.dropFirst())
        }
        while let name = rest.first, let subcommand = type.subcommand(name) {
            (type, rest) = (subcommand, rest.dropFirst())
        }
        while !type.configuration.subcommands.isEmpty {
            guard let standard = type.configuration.defaultSubcommand else { return nil }
            type = standard
        }
        return parse(type, Array(rest))
    }

    private static func parse<Command: ParsableCommand>(
        _ type: Command.Type,
        _ arguments: [String]
    ) -> (any ParsableCommand)? {
        guard let command = try? type.parseAsRoot(arguments) as? Command else { return nil }
        return command
    }
}

extension ParsableCommand {
    /// Returns the subcommand with a name.
    static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
    }
}

/// The name that the command was called by: git and docker call it through a link with a name of their own.
enum CalledName {
    /// The subcommand that the name stands for.
    static var arguments: [String] {
        guard let path = CommandLine.unsafeArgv[0] else { return [] }
        let name = String(cString: path).split(separator: "/").last
        return switch name {
        case "git-credential-credkit": ["git-credential"]
        case "docker-credential-credkit": ["docker-credential"]
        default: []
        }
    }
}

/// A command that processes any number of files.
protocol FileOperands: ParsableCommand {
    /// The files, in the order of the command line.
    var files: [FileArgument] { get set }
}

/// The command line, prepared for the argument parser.
struct Arguments {
    /// The arguments for the argument parser.
    let parsed: [String]

    /// The files, which bypass the argument parser: its run time grows with the square of the number of arguments, and
    /// `hash md5 *` may name ten thousand files.
    let operands: [FileArgument]

    init(_ arguments: [String]) {
        if arguments.first == "base64" {
            parsed = Self.separatingJoinedFlags(arguments)
            operands = []
        } else if arguments.first == "hash", arguments.count > 1, Self.isFileCommand(arguments[1]) {
            (parsed, operands) = Self.takingOutOperands(arguments)
        } else {
            parsed = arguments
            operands = []
        }
    }

    private static func isFileCommand(_ name: String) -> Bool {
        HashCommand.configuration.subcommands.contains { command in
            // Compare names first: the cast searches the conformances of the whole program.
            command.configuration.commandName == name && command is any FileOperands.Type
        }
    }

    /// Separates the files from `hash COMMAND …`. Only authentication codes have options with a value: for the key, and
    /// `--check`, which is a flag of checksums.
    private static func takingOutOperands(_ arguments: [String]) -> ([String], [FileArgument]) {
        let isCode = arguments[1].hasPrefix("hmac-")
        let withValue: Set<String> = isCode ? ["--key", "--key-file", "--key-fd", "--check", "-c"] : []
        var parsed = Array(arguments.prefix(2))
        var operands: [FileArgument] = []
        var isPastOptions = false
        var expectsValue = false
        for argument in arguments.dropFirst(2) {
            let isOption = argument.hasPrefix("-") && argument != "-"
            if isPastOptions || (!isOption && !expectsValue) {
                operands.append(FileArgument(argument: argument))
            } else if argument == "--" {
                isPastOptions = true
            } else {
                parsed.append(argument)
            }
            expectsValue = !isPastOptions && withValue.contains(argument)
        }
        return (parsed, operands)
    }

    /// Splits flags before an option in one argument, such as `-dw0`, which the argument parser does not support.
    private static func separatingJoinedFlags(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let options = arguments[..<end].flatMap { argument -> [String] in
            guard argument.hasPrefix("-"), let option = argument.firstIndex(of: "w") else {
                return [argument]
            }
            let flags = argument[..<option].dropFirst()
            guard !flags.isEmpty, flags.allSatisfy({ "dDi".contains($0) }) else { return [argument] }
            return ["-\(flags)", "-\(argument[option...])"]
        }
        return options + arguments[end...]
    }
}
