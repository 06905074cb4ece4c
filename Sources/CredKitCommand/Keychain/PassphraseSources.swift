// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// The sources of the secret that unlocks the vault, read from the command line by ``PassphraseOptions`` and others.
struct PassphraseSources {
    /// A descriptor to read a passphrase from.
    var descriptor: Int32?
    /// A file with a passphrase.
    var file: FileArgument?
    /// A command that prints a passphrase.
    var command: String?
    /// A file with a key.
    var keyFile: FileArgument?

    /// Rejects sources that contradict each other.
    func validate() throws {
        let given = [descriptor != nil, file != nil, command != nil]
        guard given.filter({ $0 }).count <= 1 else {
            throw ValidationError(
                "Give only one of --passphrase-fd, --passphrase-file and --passphrase-command."
            )
        }
        guard descriptor ?? 0 >= 0 else {
            throw ValidationError("--passphrase-fd must be 0 or greater.")
        }
    }

    /// Returns the sources in the order in which the vault tries them: first those of the command line, then those of
    /// the environment.
    ///
    /// - Parameter timeout: The time limit for reading a passphrase from the descriptor or the file; `nil` for none.
    /// - Returns: The sources.
    /// - Throws: ``CommandFailure`` or ``KeychainError`` if a secret cannot be read.
    func all(timeout: Duration?) throws -> [VaultKeySource] {
        for case let file? in [file, keyFile]
        where file.descriptor == nil && TrustedFile.isReadableByAll(file.bytes) {
            StandardStreams.report("warning: all users can read \(file.quoted): run chmod o-r on it")
        }
        var sources: [VaultKeySource] = []
        if let keyFile {
            let path = try keyFile.text()
            // Checked here, so that a missing key file is not reported as a missing item.
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
                prompt: "Passphrase of the vault: ",
                timeout: timeout
            )
            // Read now, because a command may need it for two vaults.
            sources.append(.passphrase(try reader.readAll(keepsLineFeed: false)))
        }
        return sources + VaultKeySource.standard
    }
}

extension FileArgument {
    /// Returns the name as text.
    func text() throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("The file name is not UTF-8: \(quoted)")
        }
        return text
    }
}
