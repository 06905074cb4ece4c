// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Foundation

/// Opens vaults as the next program would, for a test that has killed the last one: KeychainProbe inspect KEYFILE
///
/// Reads a command from each line of standard input, and answers with lines and `end`, or with `error CODE MESSAGE`.
/// Each command uses a store of its own, which has seen nothing of the vault before.
struct VaultInspector {
    let access: VaultAccess

    func run() async {
        while let line = Swift.readLine() {
            let words = line.split(separator: " ").map(String.init)
            do {
                try await answer(words[0], words[1], Array(words.dropFirst(2)))
                say("end")
            } catch let error as KeychainError {
                say("error \(error.code) \(error)")
            } catch {
                say("error other \(error)")
            }
        }
    }

    private func answer(_ command: String, _ path: String, _ arguments: [String]) async throws {
        let vault = try access.vault(path)
        switch command {
        // create VAULT PASSPHRASE: creates the vault, or completes one that a killed writer has created.
        case "create":
            try await access.storeBase(in: vault)
            try await vault.addSlot(.passphrase(SecretBytes(arguments[0])), name: "passphrase")
        // update VAULT [-SERVICE | +SERVICE:COUNT:SECRET]…: deletes and stores all items of services, with one save.
        case "update": try await update(vault, arguments)
        case "list": try await list(vault)
        // open VAULT PASSPHRASE
        case "open": try await access.vault(path, passphrase: arguments[0], usesKey: false).verify()
        case "repair": if let repair = try await vault.repair() { say("\(repair.action)") }
        case "accept": if try await vault.accept().isChanged { say("changed") }
        case "status": if let alarm = try await vault.status().alarm { say("\(alarm)") }
        // move FROM TO SERVICE
        case "move":
            try await Keychain.move(service: arguments[1], from: vault, to: access.vault(arguments[0]))
        default: throw ProbeError("unknown command \(command)")
        }
    }

    private func update(_ vault: VaultStore, _ arguments: [String]) async throws {
        var changes: [CredentialChange] = []
        for argument in arguments {
            let words = argument.dropFirst().split(separator: ":").map(String.init)
            if argument.hasPrefix("-") {
                for item in try await vault.items(service: words[0]) { changes.append(.delete(item.key)) }
            } else {
                for number in 0..<(Int(words[1]) ?? 0) {
                    changes.append(.set(try access.credential(words[0], "\(number)", words[2])))
                }
            }
        }
        try await vault.update(changes)
    }

    /// Prints service, account and secret of all items, or `none` if there is no vault.
    private func list(_ vault: VaultStore) async throws {
        do throws(KeychainError) {
            try await vault.verify()
        } catch {
            guard error == .notFound else { throw error }
            return say("none")
        }
        for item in try await vault.items(service: nil) {
            guard let secret = try await vault.credential(for: item.key)?.secret else {
                throw ProbeError("\(item.key) is listed, but not found")
            }
            let text = secret.withSecretBytes { bytes in
                bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
            say("\(item.service) \(item.account ?? "") \(text)")
        }
    }
}
