// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import Foundation

/// Damages one of the two copies of a vault, never both, and never the only one that contains an item.
struct VaultDamage {
    let access: VaultAccess
    let path: String

    /// Makes the backup a copy of the vault, and damages one of the two. Does nothing if the vault is damaged already.
    func cause(_ number: Int) async throws {
        let files = try LockedVault(path)
        let vault = try access.vault(path)
        do throws(KeychainError) {
            try await vault.verify()
        } catch {
            guard error == .damaged else { throw error }
            return
        }
        let whole = try files.read(path)
        try files.replace(path + ".bak", by: whole)
        switch number {
        case 0: try files.remove(path)
        case 1: try files.replace(path, by: [])
        case 2: try files.replace(path, by: Array(whole.prefix(100)))
        case 3: try files.replace(path, by: flipped(whole, at: 40))
        case 4: try files.replace(path + ".bak", by: flipped(whole, at: whole.count - 20))
        case 5: try files.replace(path + ".bak", by: Array(whole.prefix(whole.count * 2 / 3)))
        // A program that has the vault open does not notice this one, and saves what is in its memory.
        default: try files.replace(path, by: flipped(whole, at: whole.count - 20))
        }
    }

    private func flipped(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var bytes = bytes
        bytes[offset] ^= 1
        return bytes
    }
}

/// Puts another file in the place of a vault: `VAULT.old`, an older copy, `VAULT.other`, another vault, or none.
struct VaultRollback {
    let path: String

    func cause(_ number: Int) throws {
        let files = try LockedVault(path)
        switch number % 3 {
        case 0: try files.replace(path, by: files.read(path + ".old"))
        case 1: try files.replace(path, by: files.read(path + ".other"))
        default:
            try files.remove(path + ".bak")
            try files.remove(path)
        }
    }
}

/// The files of a vault, while no writer is active. The lock is released with the object.
private final class LockedVault {
    private let path: String
    private let lock: Int32

    init(_ path: String) throws {
        self.path = path
        lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw ProbeError("cannot lock \(path)") }
    }

    deinit { close(lock) }

    func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// Replaces a file at once, so that a killed process leaves no third state.
    func replace(_ target: String, by bytes: [UInt8]) throws {
        let temporary = "\(path).probe-\(getpid())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, write(file, bytes, bytes.count) == bytes.count, rename(temporary, target) == 0 else {
            throw ProbeError("cannot replace \(target): \(errno)")
        }
    }

    func remove(_ target: String) throws {
        guard unlink(target) == 0 || errno == ENOENT else { throw ProbeError("cannot remove \(target)") }
    }
}
