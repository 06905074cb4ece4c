// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Foundation

/// A program that stores, reads and deletes items in a vault that other programs change at the same time, and opens it anew
/// from time to time.
struct VaultSoak {
    private static let itemCount = 40
    private static let openEvery = 50

    let path: String
    let keyFile: String
    /// The service of its items, which no other program changes.
    let name: String
    let tally: Soak.Tally

    func run() async throws {
        var vault = try open()
        var stored: [Int: SecretBytes] = [:]
        await Soak.repeating(pause: .milliseconds(50), tally) { number in
            if number % Self.openEvery == Self.openEvery - 1 {
                try await vault.close()
                vault = try open()
                await tally.add("opened")
            }
            let item = number % Self.itemCount
            let key = CredentialKey(service: name, account: "\(item)")
            if let secret = try await vault.credential(for: key)?.secret {
                guard secret == stored[item] else { throw Failure(description: "another secret for \(item)") }
                await tally.add("read")
            } else if stored[item] != nil {
                throw Failure(description: "\(item) is lost")
            }
            if number % 3 == 0, stored.removeValue(forKey: item) != nil {
                guard try await vault.delete(key) else { throw Failure(description: "\(item) was not there") }
                await tally.add("deleted")
            } else {
                let secret = try SecretBytes(randomByteCount: 1 + number % 1000)
                try await vault.set(Credential(item: CredentialItem(key: key), secret: secret))
                stored[item] = secret
                await tally.add("stored")
            }
            if number.isMultiple(of: Self.itemCount) {
                let count = try await vault.items(service: name).count
                guard count == stored.count else {
                    throw Failure(description: "\(count) items, not \(stored.count)")
                }
                await tally.add("listed")
            }
        }
        try await vault.close()
    }

    private func open() throws -> VaultStore {
        var configuration = VaultConfiguration()
        configuration.path = path
        configuration.stateDirectory = path + ".state"
        configuration.keySources = [.keyFile(keyFile)]
        return try VaultStore(configuration)
    }
}
