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

    private var source: SecretSource {
        SecretSource(
            "passphrase",
            descriptor: descriptor,
            file: file,
            alternative: .command(command),
            prompt: "Passphrase of the vault: "
        )
    }

    /// Rejects sources that contradict each other.
    func validate() throws {
        try source.validate()
        guard keyFile?.isStandardInput != true else {
            throw ValidationError("--vault-key-file takes a file; use /dev/stdin for standard input.")
        }
    }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { [source.descriptor, keyFile?.descriptor].compactMap { $0 } }

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
        if source.isInputGiven {
            // Read now, because a command may need it for two vaults.
            sources.append(.passphrase(try source.read(timeout: timeout)))
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
