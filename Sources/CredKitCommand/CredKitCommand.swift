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
            CalibrateCommand.self, AuditCommand.self, UpgradeCommand.self, UsersCommand.self,
            KeychainCommand.self, RunCommand.self, OTPCommand.self, GitCredentialCommand.self,
            DockerCredentialCommand.self, LoginCommand.self,
            RequestCommand.self, LogoutCommand.self,
            SessionsCommand.self, SignCommand.self, BlocklistCommand.self, GenerateCommand.self,
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

/// `credkit hash`: digests and authentication codes of files, and hashes of passwords.
struct HashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash",
        abstract: "Hash files and passwords, and compute authentication codes of files.",
        discussion: """
            For instance:
              printf secret | credkit hash

            Without a subcommand, hashes a password with Argon2id and takes the options of 'credkit hash argon2id'. \
            'credkit hash sha256 FILE' hashes a file.
            """,
        subcommands: [
            PasswordHashCommand<Argon2idCommand>.self,
            PasswordHashCommand<ScryptCommand>.self,
            PasswordHashCommand<BcryptCommand>.self,
            PasswordHashCommand<YescryptCommand>.self,
            PasswordHashCommand<SHA512CryptCommand>.self,
            PasswordHashCommand<SHA256CryptCommand>.self,
            PasswordHashCommand<PBKDF2SHA256Command>.self,
            PasswordHashCommand<PBKDF2SHA512Command>.self,
            PasswordHashCommand<SCRAMSHA256Command>.self,
            PasswordHashCommand<SCRAMSHA512Command>.self,
            ChecksumCommand<SHA256>.self,
            ChecksumCommand<SHA384>.self,
            ChecksumCommand<SHA512>.self,
            ChecksumCommand<Legacy.SHA1>.self,
            ChecksumCommand<Legacy.MD5>.self,
            HMACCommand<SHA256>.self,
            HMACCommand<SHA512>.self,
            HMACCommand<Legacy.MD5>.self,
            LegacyHashCommand.self,
        ],
        defaultSubcommand: PasswordHashCommand<Argon2idCommand>.self
    )
}

/// `credkit hash legacy`: what legacy login systems store and send.
struct LegacyHashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "legacy",
        abstract: "Print what legacy login systems store and send.",
        subcommands: [SaltedMD5Command.self, TimestampCommand.self]
    )
}
