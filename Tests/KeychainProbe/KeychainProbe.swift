// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Foundation

/// Uses a vault in a separate process, which tests can kill, trace and dump.
@main
struct KeychainProbe {
    /// Waits on the main thread while the work runs elsewhere: the main queue's own system calls would otherwise be
    /// failed, too.
    static func main() {
        if CommandLine.arguments.dropFirst().first == "exit" { atexit { KeychainProbe.reportAtExit() } }
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                try await run(CommandLine.arguments)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            }
            done.signal()
        }
        done.wait()
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.dropFirst().first, arguments.count) {
        case ("write", 6): try await write(vault(arguments), from: Int(arguments[4]) ?? 0, arguments[5])
        case ("list", 4), ("exit", 4): try await list(vault(arguments))
        case ("work", 7...8): try await work(arguments).run(arguments[2])
        case ("step", 7): try await work(arguments).run(arguments[2], count: 1)
        case ("inspect", 3): await VaultInspector(access: VaultAccess(keyFile: arguments[2])).run()
        case ("remember", 4): try await remember(arguments[2], arguments[3])
        case ("signals", 2): try await showSignals()
        case ("loading", 3): try await loadTwice(arguments[2])
        default: exit(64)
        }
    }

    /// A long deadline, so that a stalling machine changes nothing.
    private static let patient = PromptPolicy(timeout: .seconds(60))

    /// Uses the Secret Service, and prints whether broken pipes still end the process: KeychainProbe signals
    private static func showSignals() async throws {
        // The parent process may have ignored the signal.
        signal(SIGPIPE, SIG_DFL)
        _ = try await SecretServiceStore(promptPolicy: patient).items(service: nil)
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        say(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0 ? "default" : "changed")
    }

    /// Uses the Secret Service while the first library found is invalid, and again after its removal:
    /// KeychainProbe loading FILE
    private static func loadTwice(_ file: String) async throws {
        let store = SecretServiceStore(promptPolicy: patient)
        do {
            _ = try await store.items(service: nil)
        } catch {
            say(
                error == .noService && error.description.contains("file too short")
                    ? "not loaded" : "\(error)"
            )
        }
        guard unlink(file) == 0 else { exit(71) }
        say("\(try await store.items(service: nil).count) items")
    }

    private static func vault(_ arguments: [String]) throws -> VaultStore {
        var configuration = VaultConfiguration()
        configuration.path = arguments[2]
        configuration.stateDirectory = arguments[2] + ".state"
        configuration.keySources = [.keyFile(arguments[3])]
        configuration.promptPolicy.timeout = .seconds(60)
        return try VaultStore(configuration)
    }

    /// KeychainProbe work KIND VAULT KEYFILE NAME EXTRA [retry], or the same with `step` for one step alone. With
    /// `retry`, another process interferes on purpose.
    private static func work(_ arguments: [String]) -> VaultWork {
        VaultWork(
            access: VaultAccess(keyFile: arguments[4]),
            path: arguments[3],
            name: arguments[5],
            extra: arguments[6],
            retriesErrors: arguments.last == "retry"
        )
    }

    /// Stores items and acknowledges each one on standard output: KeychainProbe write VAULT KEYFILE COUNT NAME
    private static func write(_ vault: VaultStore, from count: Int, _ name: String) async throws {
        for number in 0..<count {
            let key = CredentialKey(service: "probe", account: "\(name)-\(number)")
            try await vault.set(
                Credential(item: CredentialItem(key: key), secret: SecretBytes("of \(name)-\(number)"))
            )
            say("\(name)-\(number)")
        }
    }

    /// Prints whether libcrypto can still be used at the end of the process. Handlers run in reverse order, so libcrypto's
    /// would have run before.
    private static func reportAtExit() {
        let key = try? PBKDF2.deriveKey(
            from: SecretBytes("password"),
            salt: [UInt8](repeating: 0, count: 16),
            function: .sha256,
            iterations: 1,
            count: 32
        )
        say(key == nil ? "libcrypto was cleaned up" : "libcrypto is usable")
    }

    /// Prints the accounts of all items whose secrets are correct: KeychainProbe list VAULT KEYFILE
    private static func list(_ vault: VaultStore) async throws {
        try await vault.verify()
        for item in try await vault.items(service: "probe") {
            let account = item.account ?? ""
            guard try await vault.credential(for: item.key)?.secret == SecretBytes("of \(account)") else {
                exit(70)
            }
            say(account)
        }
    }

    /// Stores secrets from standard input, reads them, closes the vault, and waits to be inspected:
    /// KeychainProbe remember VAULT MARKER
    ///
    /// Each line of the input is a secret; the first one is the passphrase. The marker is on the heap.
    private static func remember(_ path: String, _ marker: String) async throws {
        let heap = UnsafeMutablePointer<UInt8>.allocate(capacity: marker.utf8.count)
        for (index, byte) in marker.utf8.enumerated() { heap[index] = byte }
        let stores = try await store(in: path)
        say("ready")
        var byte: UInt8 = 0
        _ = read(STDIN_FILENO, &byte, 1)
        // Closing the stores must suffice, even while they are still referenced.
        withExtendedLifetime(stores) {}
        heap.deallocate()
    }

    /// Returns the closed stores.
    private static func store(in path: String) async throws -> [VaultStore] {
        let passphrase = try readLine()
        let vault = try openedByDescriptor(path, passphrase)
        var changes: [CredentialChange] = []
        for number in 0..<100 {
            let key = CredentialKey(service: "probe", account: "\(number)")
            changes.append(.set(Credential(item: CredentialItem(key: key), secret: try readLine())))
        }
        try await vault.update(changes)
        try await vault.close()
        // Read them again from the file.
        let again = try openedByDescriptor(path, passphrase)
        for item in try await again.items(service: nil) {
            guard try await again.credential(for: item.key)?.secret.count == 32 else { exit(70) }
        }
        try await again.close()
        return [vault, again]
    }

    /// Returns a vault whose passphrase is in no configuration.
    private static func openedByDescriptor(_ path: String, _ passphrase: SecretBytes) throws -> VaultStore {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(71) }
        let isWritten = passphrase.withSecretBytes { bytes in
            bytes.withUnsafeBytes { Foundation.write(ends[1], $0.baseAddress, $0.count) == $0.count }
        }
        guard isWritten, Foundation.close(ends[1]) == 0 else { exit(74) }
        var configuration = VaultConfiguration()
        configuration.path = path
        configuration.stateDirectory = path + ".state"
        configuration.keySources = [.passphraseFileDescriptor(ends[0])]
        configuration.promptPolicy.timeout = .seconds(60)
        return try VaultStore(configuration)
    }

    /// Reads a line without its line feed, byte by byte, into guarded memory.
    private static func readLine() throws -> SecretBytes {
        try SecretBytes(capacity: 64) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                while count < buffer.count, let base = buffer.baseAddress,
                    read(STDIN_FILENO, base + count, 1) == 1,
                    base[count] != UInt8(ascii: "\n")
                { count += 1 }
                // The line feed is not part of the line.
            }
        }
    }
}
