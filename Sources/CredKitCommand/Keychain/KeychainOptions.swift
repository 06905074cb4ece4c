// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// The options that select a keychain and control its prompts.
struct KeychainOptions: ParsableArguments, InputSource {
    @Option(help: "The backend that stores items. (default: $CREDKIT_BACKEND, else auto)")
    var backend: BackendArgument?

    @Option(
        help: ArgumentHelp(
            "The vault's file. (default: $CREDKIT_VAULT, else ~/.local/share/credkit/keychain.vault)",
            valueName: "path"
        )
    )
    var vault: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The collection of the Secret Service to use instead of the default one.",
            valueName: "name"
        )
    )
    var collection: String?

    @Option(help: "The schema of items in the Secret Service.")
    var schema: SecretServiceSchemaArgument?

    @OptionGroup
    var passphrase: PassphraseOptions

    @Flag(help: "Never prompt, neither on the terminal nor on the desktop.")
    var noPrompt = false

    @Option(help: ArgumentHelp("The time limit for answering a prompt: 60s, 5m.", valueName: "time"))
    var promptTimeout: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "The time limit for a call, or for a lock that another program holds: 5s.",
            discussion: "It holds for reading the vault's passphrase too, but not for reading other input.",
            valueName: "time"
        )
    )
    var timeout: TimeArgument?

    @Flag(
        help: ArgumentHelp(
            "Allow key derivations beyond the limits: trust the costs that the file states.",
            discussion: """
                The limits are 16 GiB of memory × passes for all key slots of a vault together; for an imported archive \
                one slot, 128 MiB, and 2 GiB of memory × passes; for a KeePass database 512 MiB and about 5 seconds.
                """
        )
    )
    var allowCostly = false

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { passphrase.descriptors }

    /// The same options, independent of the argument parser.
    var settings: KeychainSettings {
        KeychainSettings(
            backend: backend,
            vault: vault,
            collection: collection,
            schema: schema,
            passphrase: passphrase.sources,
            prompts: !noPrompt,
            promptTimeout: promptTimeout,
            timeout: timeout,
            allowsCostlyKeyDerivation: allowCostly
        )
    }

    /// Whether and how long commands may prompt on the desktop.
    var promptPolicy: PromptPolicy { settings.promptPolicy }

    /// Waits until no other `credkit` does the same. Other programs are not held up.
    ///
    /// - Parameter activity: What is to be done, such as storing an item: from the search for an existing one to the end.
    /// - Returns: The lock; `nil` if there is no place for its file, which is reported.
    /// - Throws: ``KeychainError/busy`` if another program does it for too long; ``KeychainError/cancelled``.
    func storingLock(_ activity: ActivityLock.Activity) async throws(KeychainError) -> ActivityLock? {
        do throws(KeychainError) {
            return try await ActivityLock.acquire(activity, timeout: timeout?.duration ?? .seconds(30))
        } catch {
            // Some programs cannot write to the home directory, and have a vault elsewhere.
            guard error != .busy, error != .cancelled else { throw error }
            StandardStreams.report(
                "cannot prevent that another credkit stores the same item meanwhile: \(error)"
            )
            return nil
        }
    }

    /// Returns the configuration of the vault.
    func vaultConfiguration() throws -> VaultConfiguration { try settings.vaultConfiguration() }

    /// Opens the keychain, with the schema `standard` unless the command line names another one.
    func keychain(schema standard: SecretServiceSchema = .generic) async throws -> Keychain {
        try await settings.keychain(schema: standard)
    }

    /// Opens the keychain for a command that stores nothing. If the command line names a vault, it must exist.
    func existingKeychain() async throws -> Keychain { try await settings.existingKeychain() }

    /// Returns the vault, for operations that only a vault has. If the command line names one, it must exist.
    func vaultStore(
        _ change: (inout VaultConfiguration) -> Void = { _ in }
    ) async throws -> VaultStore {
        guard backend?.backend != .secretService else {
            throw ValidationError(
                "This command applies only to the vault; the Secret Service has no equivalent."
            )
        }
        var configuration = try vaultConfiguration()
        change(&configuration)
        let store = try VaultStore(configuration)
        if vault != nil { try await KeychainSettings.require(store) }
        return store
    }

    /// Returns the Secret Service.
    func secretService() -> SecretServiceStore {
        SecretServiceStore(
            collection: collection,
            schema: schema?.schema ?? .generic,
            promptPolicy: promptPolicy
        )
    }
}

/// The backend that a command uses; `auto` means the account's own choice.
enum BackendArgument: String, ExpressibleByArgument, CaseIterable {
    case auto
    case secretService = "secret-service"
    case vault

    var backend: KeychainBackend? {
        switch self {
        case .auto: nil
        case .secretService: .secretService
        case .vault: .vault
        }
    }
}

/// The schema that identifies items in the Secret Service.
enum SecretServiceSchemaArgument: String, ExpressibleByArgument, CaseIterable {
    case generic, keytar, git, docker

    var schema: SecretServiceSchema {
        switch self {
        case .generic: .generic
        case .keytar: .keytar
        case .git: .git
        case .docker: .docker
        }
    }
}
