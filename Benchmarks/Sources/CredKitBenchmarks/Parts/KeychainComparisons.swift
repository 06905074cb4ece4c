// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit
import CredKitKeychain
import Foundation

/// Compares the vault with the minimal work that it requires.
struct KeychainComparisons {
    /// The static release build of the command.
    let credkit: String
    /// The folder of the vaults.
    let folder: URL

    static func measure(_ options: Options) throws -> [Outcome] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-bench-\(getpid())"
        )
        let keychain = KeychainComparisons(credkit: try options.credkit, folder: folder)
        defer { keychain.remove() }
        return try keychain.make().map { try $0.measure() }
    }

    private func make() throws -> [Comparison] {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return [try opening(), try saving(), try getting()]
    }

    private func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opens a vault of 10,000 items with its passphrase and reads one item.
    private func opening() throws -> Comparison {
        let costs = Argon2idCost.standard
        let sample = try SampleVault(
            path: folder.appendingPathComponent("open").path,
            count: 10_000,
            isByPassphrase: true
        )
        let path = sample.path
        let ours = "VaultStore"
        let theirs = "Argon2id in libsodium, and OpenSSL decrypting the file"
        return Comparison(
            id: "vault-open",
            title: "Opening a vault of 10,000 items by its passphrase, and reading one",
            contenders: [
                Contender(name: ours) {
                    try clocked {
                        let vault = try sample.open()
                        return try Blocking.run { try await vault.credential(for: SampleVault.key(5000)) }
                            == nil
                            ? -1 : 0
                    }
                },
                Contender(name: theirs) {
                    let derivation = try clocked {
                        baseline_argon2id_sodium(UInt32(costs.memory.kibibytes), UInt32(costs.passes))
                    }
                    let decryption = try clocked { baseline_decrypt_file(path) }
                    return Sample(seconds: derivation.seconds + decryption.seconds)
                },
            ],
            claims: [.speed("vault-open", ours, theirs, atLeast: 0.95)],
            // A quarter of a second each. The limit is close, and single rounds differ by some percent.
            rounds: 41
        )
    }

    /// Stores one item in a vault of 1,000.
    private func saving() throws -> Comparison {
        let sample = try SampleVault(
            path: folder.appendingPathComponent("set").path,
            count: 1000,
            isByPassphrase: false
        )
        let vault = try sample.open()
        let size = sample.byteCount
        let bare = folder.appendingPathComponent("bare").path
        let ours = "VaultStore.set"
        let savings: [(id: String, name: String, how: baseline_saving)] = [
            ("vault-set", "write, fsync, rename of the same size", BASELINE_FILE),
            ("vault-set-folder", "the same, and fsync of the folder", BASELINE_FOLDER),
            ("vault-set-work", "the same, encrypted, and the old file kept", BASELINE_VAULT),
        ]
        return Comparison(
            id: "vault-set",
            title: "Storing one item in a vault of 1,000",
            contenders: [
                Contender(name: ours) {
                    let credential = try SampleVault.credential(500)
                    return try Blocking.run {
                        let start = ContinuousClock.now
                        try await vault.set(credential)
                        return Sample(seconds: start.duration(to: .now) / .seconds(1))
                    }
                }
            ]
                + savings.map { saving in
                    Contender(name: saving.name) {
                        try clocked { baseline_save_file("\(bare)-\(saving.id)", size, saving.how) }
                    }
                },
            claims: savings.map { .time($0.id, ours, $0.name, atMost: 2) },
            // The speed of a disk varies: single rounds differ by a factor of 2 and more.
            rounds: 151
        )
    }
}

extension KeychainComparisons {
    /// Reads one password, in one process each, from a vault with a key and from gnome-keyring.
    private func getting() throws -> Comparison {
        let key = folder.appendingPathComponent("key").path
        let vault = folder.appendingPathComponent("get").path
        let (service, account) = ("credkit-benchmark", "alice")
        _ = FileManager.default.createFile(
            atPath: key,
            contents: Data(SecureRandom.bytes(count: 32)),
            attributes: [.posixPermissions: 0o600]
        )
        let ours = ["--backend", "vault", "--vault", vault, "--vault-key-file", key]
        try prepare(
            "printf secret | \"$0\" keychain set --replace \"$@\"",
            [credkit] + ours + [service, account]
        )
        try prepare(
            "printf secret | secret-tool store --label benchmark service \"$0\" username \"$1\"",
            [service, account]
        )
        let secretTool = ["secret-tool", "lookup", "service", service, "username", account]
        let python = ["/usr/bin/python3", "-m", "keyring", "get", service, account]
        let names = ["credkit keychain get, vault and key file", "secret-tool lookup", "python keyring get"]
        let commands = [[credkit, "keychain", "get"] + ours + [service, account], secretTool, python]
        // All must print the same before their speed is compared.
        let output = folder.appendingPathComponent("output").path
        for (name, command) in zip(names, commands) {
            _ = try CommandRun(command, output: output).run()
            let text = try String(contentsOfFile: output, encoding: .utf8)
            guard text.trimmingCharacters(in: .newlines) == "secret" else {
                throw Failure(description: "\(name) prints another secret")
            }
        }
        return Comparison(
            id: "command-keychain-get",
            title: "Reading one password, from start to end of the process",
            contenders: zip(names, commands).map { name, command in
                Contender(name: name) { try CommandRun(command).run() }
            },
            claims: [
                .speed("keychain-get-secret-tool", names[0], names[1], atLeast: 1.2),
                .speed("keychain-get-python", names[0], names[2], atLeast: 1),
            ],
            // Milliseconds each; the two close ones are disturbed at times.
            rounds: 31
        )
    }

    private func prepare(_ script: String, _ arguments: [String]) throws {
        _ = try CommandRun(["bash", "-c", script] + arguments).run()
    }
}
