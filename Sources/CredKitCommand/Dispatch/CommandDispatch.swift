// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// Turns a command line into a command with its values, runs it, and turns its result into an exit status. Commands
/// themselves are a description of their arguments and a body.
///
/// Command lines that scripts run most often do not wait for the argument parser: see ``PlainCommand``. Valid ones are
/// parsed without the tree of all commands: see ``DirectCommand``. Everything else, such as help and errors, is left to
/// the tree.
enum CommandDispatch {
    /// Runs the command that the process was called for.
    static func run() {
        let plain = PlainCommand()
        let commandLine = plain == nil ? CalledName.arguments + RawArguments.commandLine : []
        do {
            if let plain { return try plain.run() }
            if let topic = HelpTopic(commandLine) { return try StandardStreams.writeLine(topic.text) }
            var command = try parse(commandLine)
            try command.run()
        } catch {
            if let failure = CommandFailure(reporting: error) {
                CommandExit.leave(failure, from: "credkit")
            }
            CommandExit.leave(error, from: CredKitCommand.self, commandLine)
        }
    }

    /// Returns the command with its values.
    private static func parse(_ commandLine: [String]) throws -> any ParsableCommand {
        let arguments = Arguments(commandLine)
        let command: any ParsableCommand
        if commandLine.first == "---completion" {
            // The words that a shell wants completed are not a command line yet.
            command = try CredKitCommand.parseAsRoot(commandLine)
        } else if let direct = DirectCommand.parse(arguments.parsed) {
            command = direct
        } else {
            try RefusedOption.check(arguments.parsed)
            try UnknownSubcommand.check(arguments.parsed)
            try UnexpectedOperand.check(arguments.parsed)
            command = try CredKitCommand.parseAsRoot(arguments.parsed)
        }
        guard var withOperands = command as? any FileOperands else { return command }
        withOperands.files = arguments.operands
        return withOperands
    }
}

/// A command line that runs without the argument parser, whose start takes longer than the work of such a command: it
/// looks up hundreds of conformances, each in a table of the whole program.
enum PlainCommand {
    case checksums(PlainChecksums)
    case keychainGet(PlainKeychainGet)

    /// Parses the command line. Returns `nil` if it is not one of these.
    init?() {
        if let checksums = PlainChecksums() {
            self = .checksums(checksums)
        } else if let get = PlainKeychainGet() {
            self = .keychainGet(get)
        } else {
            return nil
        }
    }

    func run() throws {
        switch self {
        case .checksums(let checksums): try checksums.run()
        case .keychainGet(let get): try get.run()
        }
    }
}

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
