// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The `credkit` command.
struct CredKitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit",
        abstract: "Hash and verify passwords, store secrets, and log in to servers.",
        discussion: """
            Results go to standard output, everything else to standard error. The exit status is 0 for success or yes, \
            1 for no, 64 for an invalid command line, 65 for malformed data or data over a limit, 69 for an \
            unavailable service, 73 for a file that cannot be created, 74 for failed input or output, 75 for a \
            temporary failure (try again later), 77 for refused access. 'credkit help TOPIC' tells more, of the topics \
            environment, exit-codes and formats.

            The command denies debuggers and core dumps; CREDKIT_ALLOW_CORE_DUMPS=1 permits them.
            """,
        version: ProgramVersion.current,
        subcommands: [
            Base64Command.self, HashCommand.self, VerifyCommand.self, InspectCommand.self,
            CalibrateCommand.self, AuditCommand.self, UpgradeCommand.self, KeychainCommand.self,
            OTPCommand.self, GitCredentialCommand.self, DockerCredentialCommand.self, LoginCommand.self,
            RequestCommand.self, LogoutCommand.self,
            SessionsCommand.self, SignCommand.self, VerifyRequestCommand.self, BlocklistCommand.self,
            GenerateCommand.self,
        ]
    )
}

/// The program `credkit`.
package enum CommandProgram {
    /// Runs the command that the arguments of this process name, and exits with its status if it fails.
    package static func main() {
        ProcessSetup.apply()
        StandardStreams.reserve()
        CommandDispatch.run()
    }
}

/// `credkit blocklist`: the commands on lists of rejected passwords.
struct BlocklistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blocklist",
        abstract: "Manage lists of passwords that must not be used.",
        discussion: "No password leaves this computer.",
        subcommands: [BlocklistBuildCommand.self, BlocklistCheckCommand.self]
    )
}

/// `credkit otp`: an authenticator on the command line.
struct OTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otp",
        abstract: "Store keys of one-time codes (TOTP, HOTP), and print their codes.",
        discussion: """
            Keys are stored in the keychain, apart from passwords: the items have the service otp:SERVICE. For instance:
              credkit otp add --generate com.example.admin alice

            The exit status is 1 for a wrong code and when there is no such item; 65 for a malformed URI or seed; 73 when \
            there is such an item already; those of 'credkit keychain' otherwise.
            """,
        subcommands: [
            OTPAddCommand.self, OTPCodeCommand.self, OTPURICommand.self, OTPVerifyCommand.self,
            OTPDeleteCommand.self,
        ]
    )
}
