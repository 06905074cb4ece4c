// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Glibc

/// What `doctor` finds, one thing after the other.
struct Diagnosis: Encodable {
    enum State: String, Encodable { case ok, note, problem }

    struct Finding: Encodable {
        let name: String
        let state: State
        let detail: String
        /// What to do about it.
        let advice: String?
    }

    private(set) var backend: String?
    private(set) var reason: String?
    private(set) var findings: [Finding] = []

    private mutating func add(_ name: String, _ state: State, _ detail: String, advice: String? = nil) {
        findings.append(Finding(name: name, state: state, detail: detail, advice: advice))
    }

    init(_ options: KeychainOptions) async throws {
        findEnvironment()
        findChoice()
        var keychain: Keychain?
        do {
            let opened = try await options.keychain()
            (keychain, backend, reason) = (opened, opened.store.name, opened.reason)
        } catch let error as KeychainError {
            reason = error.description
            add("backend", .problem, error.description)
        }
        let usesVault = keychain?.store is VaultStore
        await findSecretService(options.secretService(), isUsed: keychain.map { _ in !usesVault } ?? false)
        await findVault(try options.vaultStore(), isUsed: usesVault)
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
                    "a systemd credential, --passphrase-command or 'credkit keychain unlock' show it to fewer"
            )
        }
    }

    private mutating func findChoice() {
        do {
            guard let choice = try BackendChoice.read() else { return }
            add(
                "remembered",
                .note,
                "this account has used \(choice.rawValue) before, and keeps to it",
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
            guard let collection = status.collection else {
                return add(
                    "collection",
                    isUsed ? .problem : .note,
                    "there is no default collection, or not the one that was named; there are: "
                        + status.collectionLabels.joined(separator: ", "),
                    advice:
                        "make a keyring called Login in the desktop's password manager, or name one: --collection"
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
                    "'\(collection.label)' has no password: its file can be read, and secrets of several lines are lost",
                    advice: "set one in the desktop's password manager"
                )
            }
        } catch {
            let advice: String? =
                switch error {
                case .noBus: "log in at a desktop, or use the vault: --backend vault"
                // It says itself what to install.
                case .noService: nil
                default: "use the vault: --backend vault"
                }
            add("secret-service", isUsed ? .problem : .note, error.description, advice: advice)
        }
    }

    private mutating func findVault(_ store: VaultStore, isUsed: Bool) async {
        do {
            let status = try await store.status()
            guard status.exists else {
                return add("vault", .note, "\(status.path) is not there; the first item creates it")
            }
            let seen = status.newestGenerationSeen
            if let seen, seen > status.generation {
                add(
                    "vault",
                    .problem,
                    "\(status.path) is an older copy: saved \(status.generation) times, \(seen) were seen",
                    advice: "'credkit keychain repair --accept-older-copy' if that is as it should be"
                )
            } else {
                add("vault", .ok, "\(status.path), saved \(status.generation) times")
            }
            add("backup", status.hasBackup ? .ok : .note, status.hasBackup ? "is there" : "there is none yet")
            let slots = status.slots.map { "\(SlotListing($0).kind) (\($0.name))" }
            add("slots", .ok, slots.joined(separator: ", "))
            if status.isKeyCached { add("unlocked", .note, "its key is in the kernel's keyring for a while") }
        } catch {
            add(
                "vault",
                isUsed ? .problem : .note,
                "\(store.path): \(error.description)",
                advice: error == .damaged ? "'credkit keychain repair'" : nil
            )
        }
        findMemoryLimit(store.path)
    }

    /// Whether what a vault holds can be locked into memory.
    private mutating func findMemoryLimit(_ path: String) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return }
        var status = stat()
        let size = stat(path, &status) == 0 ? UInt64(status.st_size) : 0
        // The items are there twice while they are changed.
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
            add("kernel-keyring", .ok, "can keep the vault unlocked for a while")
        } catch {
            add(
                "kernel-keyring",
                .note,
                error.description,
                advice: "'credkit keychain unlock' does not work here, as in many containers"
            )
        }
    }

    /// Whether the keychain can be used.
    var isHealthy: Bool { backend != nil && !findings.contains { $0.state == .problem } }
}
