// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CredKitSystem
import Glibc

/// Ends the process with a message and an exit status.
public enum CommandExit {
    /// Ends the process with a failure's message and status.
    public static func leave(_ failure: CommandFailure, from program: String) -> Never {
        if let message = failure.message { StandardStreams.report(message, from: program) }
        Glibc.exit(failure.status.rawValue)
    }

    /// Ends the process with a message of the argument parser: help, or an error in the command line.
    ///
    /// - Parameters:
    ///   - error: The error that the argument parser threw.
    ///   - root: The program's command.
    ///   - arguments: The command line, without the program's name.
    ///   - page: Turns what the argument parser prints on success, such as help, into what the program prints.
    ///   - problem: Does the same for what it prints on an error.
    public static func leave(
        _ error: any Error,
        from root: any ParsableCommand.Type,
        _ arguments: [String],
        page: (String) -> String = { $0 },
        problem: (String) -> String = { $0 }
    ) -> Never {
        let code = root.exitCode(for: error)
        let message = withoutValue(root.message(for: error), in: root.fullMessage(for: error))
        if code.isSuccess {
            do throws(CommandFailure) {
                try StandardStreams.writeLine(page(message))
            } catch {
                leave(error, from: root.configuration.commandName ?? "")
            }
        } else {
            StandardStreams.show(makeSafe(problem(message), arguments) + "\n")
        }
        Glibc.exit(code.rawValue)
    }

    /// Returns a message of the argument parser without the value of an option, which may be a secret.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - text: The message with what the argument parser prints before and after it.
    /// - Returns: The text.
    private static func withoutValue(_ message: String, in text: String) -> String {
        guard let shorter = withoutValue(message) else { return text }
        // Bytes, because a character of the text can extend into the message, as an accent does.
        let parts = Array(text.utf8).split(
            separator: Array(message.utf8),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        return String(decoding: Array(parts.joined(separator: shorter.utf8)), as: UTF8.self)
    }

    /// Returns a message of the argument parser without the value that it repeats; `nil` if it repeats none.
    ///
    /// - Parameter message: The message.
    /// - Returns: The message without the value.
    public static func withoutValue(_ message: String) -> String? {
        let bytes = Array(message.utf8)
        let invalid = Array("' is invalid for '".utf8)
        let unexpected = Array("' does not take any value, but '".utf8)
        if message.hasPrefix("The value '") {
            // The last one: the value may contain the same text.
            let ends = bytes.indices.filter { bytes[$0...].starts(with: invalid) }
            guard let end = ends.last else { return nil }
            return "Invalid value for '" + String(decoding: bytes[(end + invalid.count)...], as: UTF8.self)
        }
        if message.hasPrefix("The option '"),
            let end = bytes.indices.first(where: { bytes[$0...].starts(with: unexpected) })
        {
            return String(decoding: bytes[..<end], as: UTF8.self) + "' does not take a value."
        }
        return nil
    }

    /// Returns a message of the argument parser in which no text of the command line can disturb the terminal or pass
    /// for a line of the message.
    private static func makeSafe(_ message: String, _ arguments: [String]) -> String {
        var safe = Array(message.utf8)
        for argument in arguments
        where argument.unicodeScalars.contains(where: { !$0.isPrintable }) {
            // Bytes, because a character of the message can extend into the argument, as an accent does.
            safe = Array(
                safe.split(separator: Array(argument.utf8), omittingEmptySubsequences: false)
                    .joined(separator: ShellQuoting.quote(RawArguments.encode(argument)).utf8)
            )
        }
        return safe.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { ShellQuoting.escapingUnprintable(String(decoding: $0, as: UTF8.self)) }
            .joined(separator: "\n")
    }
}
