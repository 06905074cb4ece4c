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
