// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// `credkit hash`: digests and authentication codes of files, and hashes of passwords.
struct HashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash",
        abstract: "Hash files and passwords, and compute authentication codes of files.",
        subcommands: [
            ChecksumCommand<Legacy.MD5>.self,
            ChecksumCommand<Legacy.SHA1>.self,
            ChecksumCommand<SHA256>.self,
            ChecksumCommand<SHA384>.self,
            ChecksumCommand<SHA512>.self,
            HMACCommand<Legacy.MD5>.self,
            HMACCommand<SHA256>.self,
            HMACCommand<SHA512>.self,
            SaltedMD5Command.self,
            TimestampCommand.self,
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
        ]
    )
}
