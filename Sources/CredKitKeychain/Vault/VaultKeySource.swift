// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A source of the secret that unlocks a vault.
///
/// A vault tries the sources in order. Only the first passphrase that is found is tried, with the slots for
/// passphrases; every key is tried with the slots for keys.
public enum VaultKeySource: Sendable {
    /// A passphrase given directly.
    case passphrase(SecretBytes)
    /// A passphrase from a file descriptor, which is read once, to its end; one trailing line feed is removed.
    case passphraseFileDescriptor(Int32)
    /// A passphrase from a file; one trailing line feed is removed.
    case passphraseFile(String)
    /// A passphrase that a command prints, for example `pass show vault`. The command is run by `/bin/sh -c`, and one
    /// trailing line feed is removed. It inherits no descriptors, and no variable `CREDKIT_PASSPHRASE`. Its standard
    /// input is empty; it may ask at the controlling terminal. Its messages are shown on standard error, with escapes.
    case passphraseCommand(String)
    /// A passphrase in the environment variable with this name, if it is set. Other processes of this user can read it;
    /// it is not removed from the environment.
    case passphraseEnvironmentVariable(String)
    /// A passphrase in the systemd credential with this name (`$CREDENTIALS_DIRECTORY`), if there is one.
    case passphraseSystemdCredential(String)
    /// A passphrase typed at the terminal, if the ``PromptPolicy`` allows the prompt.
    case terminal
    /// A key given directly: at least 32 bytes, as hard to guess as random ones.
    case key(SecretBytes)
    /// A key from a file: all of its bytes, at least 32.
    case keyFile(String)
    /// A key in the systemd credential with this name, if there is one.
    case keySystemdCredential(String)
    /// A key stored in another store, for example the Secret Service.
    case store(any CredentialStore)

    /// The default sources of a vault: the systemd credentials `credkit.key` and `credkit.passphrase`, the environment
    /// variable `CREDKIT_PASSPHRASE`, and the terminal.
    public static let standard: [VaultKeySource] = [
        .keySystemdCredential("credkit.key"), .passphraseSystemdCredential("credkit.passphrase"),
        .passphraseEnvironmentVariable("CREDKIT_PASSPHRASE"), .terminal,
    ]

    /// The name of the source in error messages.
    var nameForPeople: String {
        switch self {
        case .passphrase: "a passphrase"
        case .passphraseFileDescriptor(let number): "a passphrase from descriptor \(number)"
        case .passphraseFile(let path): "a passphrase in the file \(path)"
        case .passphraseCommand: "a passphrase from a command"
        case .passphraseEnvironmentVariable(let name): "a passphrase in the environment variable \(name)"
        case .passphraseSystemdCredential(let name): "a passphrase in the systemd credential \(name)"
        case .terminal: "a passphrase typed at the terminal"
        case .key: "a key"
        case .keyFile(let path): "a key in the file \(path)"
        case .keySystemdCredential(let name): "a key in the systemd credential \(name)"
        case .store(let store): "a key in the store \(store.name)"
        }
    }
}
