// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

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

    /// Separates the files from `hash COMMAND …`, whose only options with a value are those for keys.
    private static func takingOutOperands(_ arguments: [String]) -> ([String], [FileArgument]) {
        let withValue: Set = ["--key", "--key-file", "--key-fd"]
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
