// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import Glibc

/// The `credkit` command.
@main
struct CredKitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit",
        abstract: "Hashes, encodings and credentials, at the shell.",
        discussion: """
            Results go to standard output, everything else to standard error. The exit status is 0 for done and \
            yes, 1 for no, 64 for a wrong command line, 65 for malformed data, 74 for failed input or output.
            """,
        version: "0.1.0",
        subcommands: [Base64Command.self, HashCommand.self]
    )

    static func main() {
        StandardStreams.reserve()
        do {
            var arguments = RawArguments.commandLine
            if arguments.first == Base64Command.configuration.commandName {
                arguments = Base64Command.separateJoinedFlags(arguments)
            }
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch let failure as CommandFailure {
            if let message = failure.message { StandardStreams.report(message) }
            Glibc.exit(failure.status.rawValue)
        } catch let error as SecretMemoryError {
            StandardStreams.report("\(error)")
            Glibc.exit(CommandFailure.Status.tryAgain.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
