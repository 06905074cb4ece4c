// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTerminal
import Glibc

/// The findings of `doctor`.
struct Diagnosis: Encodable {
    enum State: String, Encodable { case ok, note, problem }

    struct Finding: Encodable {
        let name: String
        let state: State
        let detail: String
        /// How to fix the problem.
        let advice: String?
    }

    private enum CodingKeys: String, CodingKey {
        case backend, reason, findings, items, repair, acceptance
    }

    private(set) var backend: String?
    private(set) var reason: String?
    private(set) var findings: [Finding] = []
    /// The number of items, if the whole vault was read.
    private(set) var items: Int?
    private(set) var repair: RepairListing?
    private(set) var acceptance: AcceptanceListing?
    /// The status for a vault that could not be read to its end.
    private(set) var failure: ExitStatus?

    private mutating func add(_ name: String, _ state: State, _ detail: String, advice: String? = nil) {
        findings.append(Finding(name: name, state: state, detail: detail, advice: advice))
    }

    /// Repairs the vault.
    mutating func repairVault(_ configuration: VaultConfiguration, acceptsOlderCopy: Bool) async throws {
        var configuration = configuration
        configuration.acceptsRollback = acceptsOlderCopy
        let done = try await VaultStore(configuration).repair()
        repair = RepairListing(done)
        add("repair", .ok, done?.description ?? "nothing to do")
    }

    /// Accepts the vault as it is now.
    mutating func acceptVault(_ configuration: VaultConfiguration) async throws {
        let accepted = try await VaultStore(configuration).accept()
        acceptance = AcceptanceListing(accepted)
        add("acceptance", .ok, accepted.description)
    }

    /// Examines the keychain. Changes nothing.
    ///
    /// - Parameters:
    ///   - options: The options that select the keychain.
    ///   - configuration: The configuration of the vault that they describe.
    ///   - isDeep: Whether to unlock the vault and read every byte of it.
    /// - Throws: ``CommandFailure`` or ``KeychainError`` if the settings are invalid; all else is a finding.
    mutating func examine(
        _ options: KeychainOptions,
        _ configuration: VaultConfiguration,
        isDeep: Bool
    ) async throws {
        findEnvironment()
        findChoice()
        var keychain: Keychain?
        do {
            let opened = try await options.settings.keychain(vault: configuration)
            (keychain, backend, reason) = (opened, opened.store.name, opened.selectionReason)
        } catch let error as KeychainError {
            reason = error.description
            add("backend", .problem, error.description)
        }
        let usesVault = keychain?.store is VaultStore
        await findSecretService(options.secretService(), isUsed: keychain.map { _ in !usesVault } ?? false)
        let vault = try VaultStore(configuration)
        await findVault(vault, isUsed: usesVault, isNamed: options.vault != nil, isDeep: isDeep)
        findFolders(vault.path, isUsed: usesVault)
        findKernelKeyring()
    }

    private mutating func findEnvironment() {
        for name in ["CREDKIT_BACKEND", "CREDKIT_VAULT"] {
            if let value = getenv(name), value[0] != 0 { add(name, .note, String(cString: value)) }
        }
        if getenv("CREDKIT_PASSPHRASE") != nil {
            add(
                "CREDKIT_PASSPHRASE",
                .note,
                "is set; this user's other processes can read it",
                advice:
                    "a systemd credential, --passphrase-command or 'credkit keychain unlock' expose it less"
            )
        }
    }

    private mutating func findChoice() {
        do {
            guard let choice = try BackendChoice.read() else { return }
            add(
                "remembered",
                .note,
                "this account has used \(choice.rawValue) before, and continues to use it",
                advice: "'credkit keychain move' moves items; deleting \(try BackendChoice.path()) forgets it"
            )
        } catch {
            add("remembered", .problem, error.description)
        }
    }

    private mutating func findSecretService(_ store: SecretServiceStore, isUsed: Bool) async {
        do {
            let status = try await store.status()
            let process = status.process.map { ", \($0)" } ?? ""
            add("secret-service", .ok, "answers (\(status.owner)\(process)), by \(status.busSource.rawValue)")
            for limitation in status.daemon.limitations {
                add("secret-service-\(limitation.field.rawValue)", .note, limitation.detail)
            }
            guard let collection = status.collection else {
                return add(
                    "collection",
                    isUsed ? .problem : .note,
                    "the default collection, or the collection that was named, does not exist; available: "
                        + status.collectionLabels.joined(separator: ", "),
                    advice:
                        "create a keyring called Login in the desktop's password manager, or name one with --collection"
                )
            }
            if collection.isLocked {
                add(
                    "collection",
                    isUsed ? .problem : .note,
                    "'\(collection.label)' is locked",
                    advice:
                        "'credkit keychain unlock --backend secret-service' asks for its password at the desktop"
                )
            } else {
                add("collection", .ok, "'\(collection.label)' is unlocked")
            }
            if collection.hasNoPassword == true {
                add(
                    "keyring-password",
                    .problem,
                    "'\(collection.label)' has no password: its file is readable, and multi-line secrets are lost",
                    advice: "set one in the desktop's password manager"
                )
            }
        } catch {
            let advice: String? =
                switch error {
                case .noBus: "log in to a desktop session, or use the vault: --backend vault"
                // The error message itself names the package to install.
                case .noService: nil
                default: "use the vault: --backend vault"
                }
            add("secret-service", isUsed ? .problem : .note, error.description, advice: advice)
        }
    }

    private mutating func findVault(_ store: VaultStore, isUsed: Bool, isNamed: Bool, isDeep: Bool) async {
        do {
            let status = try await store.status()
            if let alarm = status.alarm {
                let what =
                    switch alarm {
                    case .vaultMissing: "is missing, but this account has used it"
                    case .vaultReplaced: "is not the vault that this account has used here"
                    case _ where status.newestGenerationSeen == status.generation:
                        "is another copy of generation \(status.generation) than the one that was seen"
                    default:
                        "is an older copy: generation \(status.generation), but generation "
                            + "\(status.newestGenerationSeen ?? 0) was seen"
                    }
                add(
                    "vault",
                    .problem,
                    "\(status.path) \(what)",
                    advice: "if this is intended, run 'credkit keychain doctor --accept-current'"
                )
                if isDeep && isUsed { failure = .malformed }
            }
            guard status.exists else {
                if status.alarm == nil {
                    add(
                        "vault",
                        isNamed ? .problem : .note,
                        "\(status.path) does not exist; storing the first item creates it"
                    )
                }
                return
            }
            if status.alarm == nil {
                add("vault", .ok, "\(status.path), generation \(status.generation)")
                if isDeep { await readVault(store, isUsed: isUsed) }
            }
            add("backup", status.hasBackup ? .ok : .note, status.hasBackup ? "exists" : "does not exist yet")
            let slots = status.slots.map { "\(SlotListing($0).kind) (\($0.name))" }
            add("slots", .ok, slots.joined(separator: ", "))
            if status.isKeyCached { add("unlocked", .note, "its key is cached in the kernel keyring") }
        } catch {
            add(
                "vault",
                isUsed ? .problem : .note,
                "\(store.path): \(error.description)",
                advice: Self.advice(on: error)
            )
            if isDeep && isUsed { failure = ExitStatus(error) }
        }
        findMemoryLimit(store.path)
    }

    /// Unlocks the vault and reads every byte of it.
    private mutating func readVault(_ store: VaultStore, isUsed: Bool) async {
        do {
            let count = try await store.verify()
            items = count
            add("content", .ok, "every byte is as it was saved; \(count) \(count == 1 ? "item" : "items")")
        } catch {
            add("content", isUsed ? .problem : .note, error.description, advice: Self.advice(on: error))
            if isUsed { failure = ExitStatus(error) }
        }
    }

    private static func advice(on error: KeychainError) -> String? {
        error == .damaged ? "'credkit keychain doctor --repair'" : nil
    }

    /// Finds whether the vault, and what was seen of it, can be saved.
    private mutating func findFolders(_ path: String, isUsed: Bool) {
        let state: State = isUsed ? .problem : .note
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        if let problem = FolderProblem.find(folder) {
            add("vault-folder", state, "the vault cannot be saved: \(problem.description)")
        }
        if let folder = try? UserDirectories.state(),
            let problem = FolderProblem.find(folder + "/credkit/vaults")
        {
            add(
                "state-folder",
                state,
                "what this account has seen of its vaults cannot be saved: \(problem.description)",
                advice: "until then an older copy in the vault's place may not be noticed"
            )
        }
    }

    /// Finds whether the content of a vault can be locked into memory.
    private mutating func findMemoryLimit(_ path: String) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return }
        var status = stat()
        let size = stat(path, &status) == 0 ? UInt64(status.st_size) : 0
        // During a change there are two copies of the items.
        if SecretMemory.status.isFullyLocked && limit.rlim_cur / 2 >= size + 65536 {
            return add("memory", .ok, "secrets are locked into memory")
        }
        add(
            "memory",
            .note,
            "the limit of locked memory (\(limit.rlim_cur / 1024) KiB) is too small for this vault: secrets may reach "
                + "the swap space",
            advice:
                "raise it: 'ulimit -l', LimitMEMLOCK= in systemd, /etc/security/limits.conf; or encrypt the swap space"
        )
    }

    private mutating func findKernelKeyring() {
        do {
            try VaultKeyCache.check()
            add("kernel-keyring", .ok, "can cache the vault's key for a limited time")
        } catch {
            add(
                "kernel-keyring",
                .note,
                error.description,
                advice: "'credkit keychain unlock' does not work here, as in many containers"
            )
        }
    }

    /// The diagnosis for people, on several lines.
    var text: String {
        var lines = ["backend: \(backend ?? "none") (\(reason ?? ""))"]
        for finding in findings {
            let mark = finding.state == .ok ? "" : "\(finding.state): "
            lines.append("\(finding.name): \(mark)\(finding.detail)")
            if let advice = finding.advice { lines.append("  -> \(advice)") }
        }
        return lines.map(ShellQuoting.escapingUnprintable).joined(separator: "\n")
    }

    /// Whether the keychain can be used.
    var isHealthy: Bool { backend != nil && !findings.contains { $0.state == .problem } }
}
