// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitKeychain
import Glibc

/// The `credkit` command.
@main
struct CredKitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit",
        abstract: "Hashes, encodings and credentials, at the shell.",
        discussion: """
            Results go to standard output, everything else to standard error. The exit status is 0 for done and \
            yes, 1 for no, 64 for a wrong command line, 65 for malformed data or data over a limit, 69 for a service that is \
            not there, 73 for a file that cannot be created, 74 for failed input or output, 75 for not now, 77 for \
            refused.
            """,
        version: "0.1.0",
        subcommands: [
            Base64Command.self, HashCommand.self, VerifyCommand.self, InspectCommand.self,
            CalibrateCommand.self, UpgradeCommand.self, KeychainCommand.self, GitCredentialCommand.self,
            DockerCredentialCommand.self, LoginCommand.self, RequestCommand.self, LogoutCommand.self,
            SessionsCommand.self, ServeCommand.self,
        ]
    )

    static func main() {
        CrashHygiene.apply()
        OpenSSLConfiguration.ignore()
        StandardStreams.reserve()
        let plain = PlainChecksums()
        let arguments = Arguments(plain == nil ? CalledName.arguments + RawArguments.commandLine : [])
        do {
            if let plain { return try plain.run() }
            var command = try DirectCommand.parse(arguments.parsed) ?? parseAsRoot(arguments.parsed)
            if var withOperands = command as? any FileOperands {
                withOperands.files = arguments.operands
                command = withOperands
            }
            try command.run()
        } catch let failure as CommandFailure {
            leave(failure)
        } catch let error as PasswordError {
            leave(CommandFailure(reporting: error))
        } catch let error as KeychainError {
            leave(CommandFailure(reporting: error))
        } catch let error as LoginError {
            leave(CommandFailure(reporting: error))
        } catch let error as SecretMemoryError {
            leave(CommandFailure(.tryAgain, "\(error)"))
        } catch {
            leave(error, arguments)
        }
    }

    /// Ends the process with a failure's message and status.
    private static func leave(_ failure: CommandFailure) -> Never {
        if let message = failure.message { StandardStreams.report(message) }
        Glibc.exit(failure.status.rawValue)
    }

    /// Ends the process with what the argument parser has to say: help, or what is wrong with the command line.
    private static func leave(_ error: any Error, _ arguments: Arguments) -> Never {
        let code = exitCode(for: error)
        let message = fullMessage(for: error)
        if code.isSuccess {
            do throws(CommandFailure) {
                try StandardStreams.writeLine(message)
            } catch {
                leave(error)
            }
        } else {
            StandardStreams.show(arguments.makeSafe(message) + "\n")
        }
        Glibc.exit(code.rawValue)
    }
}
