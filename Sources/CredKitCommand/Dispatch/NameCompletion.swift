// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitKeychain
import CredKitTerminal
import Glibc

/// Completes the names of services and sessions in a shell.
///
/// The shell calls the command while the user types. It must therefore never prompt, start a program or wait long: a
/// keychain that is locked, busy or absent has no names.
enum NameCompletion {
    /// Completes the service of an item.
    static let services = CompletionKind.custom { words, _, _ in
        names(words) { try await $0.items(service: nil).map(\.service) }
    }

    /// Completes the name of a saved session.
    static let sessions = CompletionKind.custom { words, _, _ in
        names(words) { try await LoginSession.savedSessionNames(in: $0) }
    }

    private static func names(
        _ words: [String],
        _ read: @escaping (Keychain) async throws -> [String]
    ) -> [String] {
        var names: [String] = []
        try? MainThreadExecutor.run {
            names = try await read(Keychain.open(configuration(words)))
        }
        return Set(names).filter(isSafe).sorted().map(escaped)
    }

    /// Returns the settings of the keychain that the words typed so far name.
    private static func configuration(_ words: [String]) -> KeychainConfiguration {
        var policy = PromptPolicy.never
        policy.timeout = .seconds(2)
        policy.startsService = false
        let path = value(of: "--vault", in: words)
        let collection = value(of: "--collection", in: words)
        let backend = value(of: "--backend", in: words).flatMap(BackendArgument.init(rawValue:))

        var configuration = KeychainConfiguration()
        configuration.backend = backend?.backend ?? (backend == nil && path != nil ? .vault : nil)
        configuration.promptPolicy = policy
        configuration.remembersBackend = false
        configuration.secretServiceCollection = collection
        configuration.vault.path = path.map { KeychainSettings.absolute(expandingHome($0)) }
        // Commands that print a passphrase may prompt.
        configuration.vault.keySources = [
            .keySystemdCredential("credkit.key"), .passphraseSystemdCredential("credkit.passphrase"),
            .passphraseEnvironmentVariable("CREDKIT_PASSPHRASE"),
            .store(SecretServiceStore(collection: collection, promptPolicy: policy)),
        ]
        configuration.vault.usesCachedKey = true
        configuration.vault.promptPolicy = policy
        return configuration
    }

    private static func value(of option: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == option { return index + 1 < words.count ? words[index + 1] : nil }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return nil
    }

    /// Replaces the tilde of a path, which the shell has not replaced yet.
    private static func expandingHome(_ path: String) -> String {
        guard path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }

    /// Whether a name means itself in every shell. Servers and other programs choose names, and bash expands commands
    /// and variables in the words that it completes with.
    private static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.utf8.starts(with: "-".utf8)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-+@%,:/".utf8.contains(byte)
                }
            }
    }

    /// zsh shows what follows a colon as a description.
    private static func escaped(_ name: String) -> String {
        guard CompletionShell.requesting == .zsh else { return name }
        return name.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
    }
}
