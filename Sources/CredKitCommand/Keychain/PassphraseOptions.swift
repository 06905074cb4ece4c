// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// Where the secret comes from that opens the vault. It never stands on the command line.
struct PassphraseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the vault's passphrase from.", valueName: "n"))
    var passphraseFD: Int32?

    @Option(
        help: ArgumentHelp("A file with the vault's passphrase; - is standard input.", valueName: "file")
    )
    var passphraseFile: FileArgument?

    @Option(help: ArgumentHelp("A command that prints the vault's passphrase.", valueName: "command"))
    var passphraseCommand: String?

    @Option(
        help: ArgumentHelp("A file with a key that opens the vault, all of its bytes.", valueName: "file")
    )
    var keyFile: FileArgument?

    func validate() throws {
        let given = [passphraseFD != nil, passphraseFile != nil, passphraseCommand != nil]
        guard given.filter({ $0 }).count <= 1 else {
            throw ValidationError("Give one of --passphrase-fd, --passphrase-file and --passphrase-command.")
        }
        guard passphraseFD ?? 0 >= 0 else {
            throw ValidationError("--passphrase-fd takes a number from 0 on.")
        }
        guard keyFile?.isStandardInput != true else {
            throw ValidationError("--key-file takes a file; for standard input there is /dev/stdin.")
        }
    }

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] {
        [passphraseFD, passphraseFile?.descriptor, keyFile?.descriptor].compactMap { $0 }
    }

    /// What the vault tries, in this order: what the command line names, then what the environment has.
    func sources() throws -> [VaultKeySource] {
        var sources: [VaultKeySource] = []
        if let keyFile {
            let path = try keyFile.text()
            // It must not be taken for an item that is not there.
            guard access(path, R_OK) == 0 else {
                throw CommandFailure(.inputOutput, "\(keyFile.quoted): \(SystemError.message(of: errno))")
            }
            sources.append(.keyFile(path))
        }
        if let passphraseCommand { sources.append(.passphraseCommand(passphraseCommand)) }
        if passphraseFD != nil || passphraseFile != nil {
            let reader = try SecretReader(
                file: passphraseFile,
                descriptor: passphraseFD,
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
