// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// Where the secret comes from that opens the vault: what ``PassphraseOptions`` and others read off the command line.
struct PassphraseSources {
    /// A descriptor to read a passphrase from.
    var descriptor: Int32?
    /// A file with a passphrase.
    var file: FileArgument?
    /// A command that prints a passphrase.
    var command: String?
    /// A file with a key.
    var keyFile: FileArgument?

    /// Refuses sources that contradict each other.
    func validate() throws {
        let given = [descriptor != nil, file != nil, command != nil]
        guard given.filter({ $0 }).count <= 1 else {
            throw ValidationError("Give one of --passphrase-fd, --passphrase-file and --passphrase-command.")
        }
        guard descriptor ?? 0 >= 0 else {
            throw ValidationError("--passphrase-fd takes a number from 0 on.")
        }
    }

    /// What the vault tries, in this order: what the command line names, then what the environment has.
    func all() throws -> [VaultKeySource] {
        var sources: [VaultKeySource] = []
        if let keyFile {
            let path = try keyFile.text()
            // It must not be taken for an item that is not there.
            guard access(path, R_OK) == 0 else {
                throw CommandFailure(.inputOutput, "\(keyFile.quoted): \(SystemError.message(of: errno))")
            }
            sources.append(.keyFile(path))
        }
        if let command { sources.append(.passphraseCommand(command)) }
        if descriptor != nil || file != nil {
            let reader = try SecretReader(
                file: file,
                descriptor: descriptor,
                option: "--passphrase-fd",
                prompt: "Passphrase of the vault: "
            )
            // At once: a command may need it for two vaults.
            sources.append(.passphrase(try reader.readAll(keepsLineFeed: false)))
        }
        return sources + VaultKeySource.standard
    }
}

extension FileArgument {
    /// The name for functions that take text.
    func text() throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("The name of this file is not UTF-8: \(quoted)")
        }
        return text
    }
}
