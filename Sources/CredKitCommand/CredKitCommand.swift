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
            For instance:
              printf secret | credkit hash > record
              printf secret | credkit verify --hash-file record
              printf s3cret | credkit keychain set com.example.app alice
              credkit keychain get com.example.app alice

            The exit status is 0 for success or yes, and 1 for no. 'credkit help TOPIC' explains exit-codes, \
            environment variables, formats of hashes, login by examples, and the options that commands share: \
            \(HelpTopic.optionTopics).
            """,
        version: ProgramVersion.current,
        // In the order of everyday use.
        groupedSubcommands: [
            CommandGroup(
                name: "Passwords",
                subcommands: [
                    HashCommand.self, VerifyCommand.self, GenerateCommand.self, BlocklistCommand.self,
                    InspectCommand.self, CalibrateCommand.self,
                ]
            ),
            CommandGroup(
                name: "Tables",
                subcommands: [AuditCommand.self, UpgradeCommand.self, UsersCommand.self]
            ),
            CommandGroup(
                name: "Secrets",
                subcommands: [
                    KeychainCommand.self, OTPCommand.self, RunCommand.self, GitCredentialCommand.self,
                    DockerCredentialCommand.self,
                ]
            ),
            CommandGroup(
                name: "Logins",
                subcommands: [
                    LoginCommand.self, RequestCommand.self, SessionsCommand.self, LogoutCommand.self,
                    SignCommand.self,
                ]
            ),
            CommandGroup(name: "Encodings", subcommands: [Base64Command.self]),
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
        abstract: "Hash passwords and files.",
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
