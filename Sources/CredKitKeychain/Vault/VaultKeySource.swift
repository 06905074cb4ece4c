// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Where the secret that opens a vault comes from.
///
/// A vault tries the sources in their order. The first one that has a passphrase decides for the slots that want a
/// passphrase; each key is tried with the slots that want a key.
public enum VaultKeySource: Sendable {
    /// A passphrase that is at hand.
    case passphrase(SecretBytes)
    /// A passphrase from a file descriptor, which is read once, to its end; one line feed at its end is dropped.
    case passphraseDescriptor(Int32)
    /// A passphrase from a file; one line feed at its end is dropped.
    case passphraseFile(String)
    /// A passphrase that a command prints, for instance `pass show vault`; it is run by `/bin/sh -c`, and one line feed
    /// at the end is dropped.
    case passphraseCommand(String)
    /// A passphrase in the environment variable of this name, if it is set. Other processes of this user can read it;
    /// it is not removed from the environment.
    case passphraseEnvironment(String)
    /// A passphrase in the systemd credential of this name (`$CREDENTIALS_DIRECTORY`), if there is one.
    case passphraseCredential(String)
    /// A passphrase that is asked for at the terminal, where the ``Interaction`` allows it.
    case terminal
    /// A key that is at hand: at least 32 bytes, as hard to guess as random ones.
    case key(SecretBytes)
    /// A key from a file: all of its bytes, at least 32.
    case keyFile(String)
    /// A key in the systemd credential of this name, if there is one.
    case keyCredential(String)
    /// A key that another store keeps, for instance the Secret Service.
    case store(any CredentialStore)

    /// The sources that a vault has unless others are named: the systemd credentials `credkit.key` and
    /// `credkit.passphrase`, the environment variable `CREDKIT_PASSPHRASE`, the terminal.
    public static let standard: [VaultKeySource] = [
        .keyCredential("credkit.key"), .passphraseCredential("credkit.passphrase"),
        .passphraseEnvironment("CREDKIT_PASSPHRASE"), .terminal,
    ]

    /// What error messages call it.
    var nameForPeople: String {
        switch self {
        case .passphrase: "a passphrase"
        case .passphraseDescriptor(let number): "a passphrase from descriptor \(number)"
        case .passphraseFile(let path): "a passphrase in the file \(path)"
        case .passphraseCommand: "a passphrase from a command"
        case .passphraseEnvironment(let name): "a passphrase in the environment variable \(name)"
        case .passphraseCredential(let name): "a passphrase in the systemd credential \(name)"
        case .terminal: "a passphrase asked for at the terminal"
        case .key: "a key"
        case .keyFile(let path): "a key in the file \(path)"
        case .keyCredential(let name): "a key in the systemd credential \(name)"
        case .store(let store): "a key kept by the store \(store.name)"
        }
    }
}
