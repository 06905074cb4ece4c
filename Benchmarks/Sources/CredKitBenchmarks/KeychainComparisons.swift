// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit
import CredKitKeychain
import Foundation

/// The vault beside the bare work that it cannot do without.
struct KeychainComparisons {
    /// The static release build of the command.
    let credkit: String
    /// Where the vaults go.
    let folder: URL

    func make() throws -> [Comparison] {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return [try opening(), try saving(), try getting()]
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opening a vault of 10,000 items by its passphrase and reading one of them.
    private func opening() throws -> Comparison {
        let costs = KeyDerivation.standard
        let sample = try SampleVault(
            path: folder.appendingPathComponent("open").path,
            count: 10_000,
            isByPassphrase: true
        )
        let path = sample.path
        return Comparison(
            id: "vault-open",
            title: "Opening a vault of 10,000 items by its passphrase, and reading one",
            ours: Contender(name: "VaultStore") {
                try clocked {
                    let vault = try sample.open()
                    return try Blocking.run { try await vault.credential(for: SampleVault.key(5000)) } == nil
                        ? -1 : 0
                }
            },
            alternatives: [
                .init(
                    contender: Contender(name: "1.3 x Argon2id in libsodium, and OpenSSL decrypting the file")
                    {
                        let derivation = try clocked {
                            baseline_argon2id_sodium(UInt32(costs.memoryKiB), UInt32(costs.passes))
                        }
                        let decryption = try clocked { baseline_decrypt_file(path) }
                        return Sample(seconds: derivation.seconds * 1.3 + decryption.seconds)
                    },
                    goal: .init(minimumSpeed: 1)
                )
            ],
            rounds: 15,
            runs: 3
        )
    }

    /// Storing one item in a vault of 1,000.
    private func saving() throws -> Comparison {
        let sample = try SampleVault(
            path: folder.appendingPathComponent("set").path,
            count: 1000,
            isByPassphrase: false
        )
        let vault = try sample.open()
        let size = sample.byteCount
        let bare = folder.appendingPathComponent("bare").path
        let names = ["write, fsync, rename of the same size", "the same, and fsync of the folder"]
        return Comparison(
            id: "vault-set",
            title: "Storing one item in a vault of 1,000",
            ours: Contender(name: "VaultStore.set") {
                let credential = try SampleVault.credential(500)
                return try Blocking.run {
                    let start = ContinuousClock.now
                    try await vault.set(credential)
                    return Sample(seconds: start.duration(to: .now) / .seconds(1))
                }
            },
            alternatives: names.enumerated().map { number, name in
                .init(
                    contender: Contender(name: name) {
                        try clocked { baseline_save_file(bare, size, Int32(number)) }
                    },
                    goal: .init(minimumSpeed: 0.5)
                )
            },
            rounds: 60,
            runs: 3
        )
    }
}

extension KeychainComparisons {
    /// Reading one password, as a whole process each, from a vault by a key and from gnome-keyring.
    private func getting() throws -> Comparison {
        let key = folder.appendingPathComponent("key").path
        let vault = folder.appendingPathComponent("get").path
        let (service, account) = ("credkit-benchmark", "alice")
        _ = FileManager.default.createFile(
            atPath: key,
            contents: Data(SecureRandom.bytes(count: 32)),
            attributes: [.posixPermissions: 0o600]
        )
        let ours = ["--backend", "vault", "--vault", vault, "--key-file", key]
        try prepare("printf secret | \"$0\" keychain set \"$@\"", [credkit] + ours + [service, account])
        try prepare(
            "printf secret | secret-tool store --label benchmark service \"$0\" username \"$1\"",
            [service, account]
        )
        let secretTool = ["secret-tool", "lookup", "service", service, "username", account]
        let python = ["/usr/bin/python3", "-m", "keyring", "get", service, account]
        return Comparison(
            id: "command-keychain-get",
            title: "Reading one password, from start to end of the process",
            ours: Contender(name: "credkit keychain get, from a vault by a key file") {
                try CommandRun([credkit, "keychain", "get"] + ours + [service, account]).run()
            },
            alternatives: [
                .init(
                    contender: Contender(name: "secret-tool lookup") { try CommandRun(secretTool).run() },
                    goal: .init(minimumSpeed: 1)
                ),
                .init(
                    contender: Contender(name: "python keyring get") { try CommandRun(python).run() },
                    goal: .init(minimumSpeed: 1)
                ),
            ],
            rounds: 15
        )
    }

    private func prepare(_ script: String, _ arguments: [String]) throws {
        _ = try CommandRun(["bash", "-c", script] + arguments).run()
    }
}

/// A vault with many items.
struct SampleVault {
    let path: String
    let isByPassphrase: Bool
    private let rawKey: SecretBytes

    /// Makes it.
    init(path: String, count: Int, isByPassphrase: Bool) throws {
        self.path = path
        self.isByPassphrase = isByPassphrase
        rawKey = try SecretBytes(randomByteCount: 32)
        let vault = try open()
        let changes = try (0..<count).map { CredentialChange.set(try Self.credential($0)) }
        try Blocking.run { try await vault.update(changes) }
    }

    func open() throws -> VaultStore {
        var configuration = VaultConfiguration()
        configuration.path = path
        configuration.statePath = path + ".state"
        configuration.keySources = [
            isByPassphrase ? .passphrase(try SecretBytes("correct horse")) : .key(rawKey)
        ]
        configuration.interaction.callDeadline = .seconds(60)
        return try VaultStore(configuration)
    }

    /// The size of the file.
    var byteCount: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int ?? 0
    }

    static func key(_ number: Int) -> CredentialKey {
        CredentialKey(service: "com.example.service-\(number % 100)", account: "user-\(number)@example.com")
    }

    static func credential(_ number: Int) throws -> Credential {
        Credential(item: CredentialItem(key: key(number)), secret: try SecretBytes(randomByteCount: 24))
    }
}

/// How a vault grows, as a table for the docs.
enum KeychainGrowth {
    static func run() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-growth-\(getpid())"
        )
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        print("| items | open with a key, get one | get | set | set 100 at once | file |")
        print("|---|---|---|---|---|---|")
        for count in [10, 100, 1000, 10_000, 100_000] {
            let path = folder.appendingPathComponent("\(count)").path
            let sample = try SampleVault(path: path, count: count, isByPassphrase: false)
            let middle = SampleVault.key(count / 2)
            let open = try median(of: 11) {
                let vault = try sample.open()
                _ = try Blocking.run { try await vault.credential(for: middle) }
            }
            let vault = try sample.open()
            let get = try median(of: 101) { _ = try Blocking.run { try await vault.credential(for: middle) } }
            let set = try median(of: 21) {
                try Blocking.run { try await vault.set(SampleVault.credential(count / 2)) }
            }
            let many = try (0..<100).map {
                CredentialChange.set(try SampleVault.credential($0 * count / 100))
            }
            let batch = try median(of: 11) { try Blocking.run { try await vault.update(many) } }
            let times = [open, get, set, batch].map { String(format: "%.2f ms", $0 * 1000) }.joined(
                separator: " | "
            )
            print("| \(count) | \(times) | \(String(format: "%.1f", Double(sample.byteCount) / 1024)) KiB |")
        }
    }

    private static func median(of count: Int, _ body: () throws -> Void) throws -> Double {
        Spread(
            try (0..<count).map { _ in
                try clocked {
                    try body(); return 0
                }.seconds
            }
        ).median
    }
}

/// Waits for an asynchronous call: what is measured here has nothing else to do.
enum Blocking {
    private final class Box<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }

    static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw CancellationError() }
        return try result.get()
    }
}

/// The time that something takes; it answers 0 when all went well.
func clocked(_ body: () throws -> Int32) throws -> Sample {
    let start = ContinuousClock.now
    let status = try body()
    let time = start.duration(to: .now)
    guard status == 0 else { throw CommandRun.Failure(description: "a contender failed") }
    return Sample(seconds: time / .seconds(1))
}
