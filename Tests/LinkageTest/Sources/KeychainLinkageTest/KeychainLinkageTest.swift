// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain

/// A program that stores a password in a vault, without a Secret Service: KeychainLinkageTest VAULT
@main
struct KeychainLinkageTest {
    static func main() async throws {
        var configuration = VaultConfiguration()
        configuration.path = CommandLine.arguments.last
        configuration.stateDirectory = configuration.path.map { $0 + ".state" }
        configuration.keySources = [.key(try SecretBytes(randomByteCount: 32))]
        let keychain = Keychain(store: try VaultStore(configuration))
        try await keychain.setPassword("s3cret", service: "linkage", account: "test")
        print(try await keychain.text(service: "linkage", account: "test") ?? "nothing")
        do throws(KeychainError) {
            try await SecretServiceStore().unlock()
        } catch {
            print(error == .noService ? "no Secret Service" : "\(error)")
        }
    }
}
