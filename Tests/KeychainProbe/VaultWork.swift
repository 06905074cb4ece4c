// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Foundation

/// Changes a vault in one way again and again, for tests that kill it: KeychainProbe work KIND VAULT KEYFILE NAME EXTRA
///
/// Each finished step is acknowledged on standard output by its number. Items are stored under the service NAME.
struct VaultWork {
    let access: VaultAccess
    let path: String
    let name: String
    /// The current passphrase, the path of another vault, or which damages to cause; it depends on the kind.
    let extra: String
    /// Whether the step may meet what another process does deliberately, such as damage, and must be tried again.
    let retriesErrors: Bool

    /// The number of items that one import stores.
    private static let importCount = 20

    /// Does `count` steps, or works until it is killed if that is `nil`; then it first waits for a line on standard
    /// input, so that two processes begin at the same time.
    func run(_ kind: String, count: Int? = nil) async throws {
        let step = try self.step(kind)
        if count == nil {
            say("ready")
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else { return }
        }
        for number in 0..<(count ?? .max) {
            try await retrying { try await step(number) }
            say("\(number)")
        }
    }

    private func retrying(_ body: () async throws -> Void) async throws {
        while true {
            do {
                return try await body()
            } catch let error as KeychainError {
                // A move reports in this way that its source was damaged after the items were stored in the target.
                guard retriesErrors, [.damaged, .busy, .inputOutput].contains(error) else { throw error }
            }
            usleep(500)
        }
    }

    private func step(_ kind: String) throws -> (Int) async throws -> Void {
        let vault = try access.vault(path)
        switch kind {
        case "set": return { try await vault.set(access.credential(name, "\($0 % 4)", "\($0)")) }
        case "delete": return { try await delete($0, from: vault) }
        case "import":
            return { number in
                try await vault.update(
                    (0..<Self.importCount).map { .set(try access.credential(name, "\($0)", "\(number)")) }
                )
            }
        case "move":
            let other = try access.vault(extra)
            // Four services in turn: each is moved to the other vault, later back, and so on.
            return { number in
                let (source, target) = (number / 4).isMultiple(of: 2) ? (vault, other) : (other, vault)
                try await Keychain.move(service: "\(name)-\(number % 4)", from: source, to: target)
            }
        case "passphrase":
            let vault = try access.vault(path, passphrase: extra)
            return { number in
                let new = try SecretBytes("\(name)-\(number)")
                let dropped = try await vault.changePassphrase(
                    to: new,
                    rotatingKey: !number.isMultiple(of: 3)
                )
                guard dropped.isEmpty else { throw ProbeError("slots were dropped: \(dropped)") }
            }
        case "rekey":
            let vault = try access.vault(path, passphrase: extra)
            return { _ in
                let dropped = try await vault.rekey()
                guard dropped.isEmpty else { throw ProbeError("slots were dropped: \(dropped)") }
            }
        case "repair": return try repair()
        case "accept": return accept()
        default: throw ProbeError("unknown kind \(kind)")
        }
    }

    /// Deletes an existing item. After the last one there is nothing to do.
    private func delete(_ number: Int, from vault: VaultStore) async throws {
        guard try await vault.delete(CredentialKey(service: name, account: "\(number)")) else {
            say("finished")
            while true { pause() }
        }
    }

    /// Repairs the vault, and damages it again before the next step.
    private func repair() throws -> (Int) async throws -> Void {
        let numbers = extra.split(separator: "/").compactMap { Int($0) }
        guard numbers.count == 2 else { throw ProbeError("\(extra) is not the first damage and their count") }
        let damage = VaultDamage(access: access, path: path)
        return { number in
            if number > 0 { try await damage.cause((numbers[0] + number) % numbers[1]) }
            // Another process than the one that has damaged it.
            _ = try await access.vault(path).repair()
        }
    }

    /// Puts an older copy, another vault or none in the place of the vault, and accepts that.
    private func accept() -> (Int) async throws -> Void {
        let rollback = VaultRollback(path: path)
        return { number in
            // The second process may do the same at the same time.
            say("exchange")
            try rollback.cause(number)
            let vault = try access.vault(path)
            while true {
                do {
                    let accepted = try await vault.accept()
                    if accepted.identifier == nil { try await access.storeBase(in: vault) }
                    return
                } catch let error as KeychainError {
                    guard retriesErrors,
                        [.busy, .notFound, .rollbackDetected, .vaultReplaced, .vaultMissing].contains(error)
                    else { throw error }
                }
                usleep(500)
            }
        }
    }
}
