// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

@testable import CredKitKeychain

/// A folder for a vault, and what tests do with it.
class VaultTestCase: XCTestCase {
    private(set) var folder = ""
    var path: String { folder + "/vault" }

    override func setUpWithError() throws {
        folder = try TemporaryFolder.make()
    }

    override func tearDown() {
        TemporaryFolder.remove(folder)
    }

    func configuration(_ sources: [VaultKeySource]? = nil) throws -> VaultConfiguration {
        var configuration = VaultConfiguration()
        configuration.path = path
        configuration.statePath = folder + "/state"
        configuration.keySources = try sources ?? [.passphrase(SecretBytes("correct horse"))]
        configuration.keyDerivation = try KeyDerivation(memoryKiB: 8, passes: 1)
        // Long, so that a machine that stands still for a moment fails no test; shorter where the deadline is tested.
        configuration.interaction.callDeadline = .seconds(30)
        return configuration
    }

    func store(_ sources: [VaultKeySource]? = nil) throws -> VaultStore {
        try VaultStore(configuration(sources))
    }

    func store(passphrase: String) throws -> VaultStore { try store([.passphrase(SecretBytes(passphrase))]) }

    func credential(_ account: String?, _ secret: String, service: String = "mail") throws -> Credential {
        let key = CredentialKey(service: service, account: account)
        return Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    /// A vault with some items.
    func makeVault(passphrase: String = "correct horse", accounts: [String] = ["alice", "bob"]) async throws {
        let store = try store(passphrase: passphrase)
        try await store.update(try accounts.map { .set(try credential($0, "of \($0)")) })
    }

    func file() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    func put(_ bytes: [UInt8], at path: String? = nil) throws {
        let url = URL(fileURLWithPath: path ?? self.path)
        try Data(bytes).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }

    /// The error that a call ends with.
    func failure(_ body: () async throws(KeychainError) -> Void) async -> KeychainError? {
        do throws(KeychainError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Asks again as long as there is no answer in time, but not for ever.
    func patiently<Value>(_ body: () async throws(KeychainError) -> Value) async throws(KeychainError)
        -> Value
    {
        for _ in 0..<20 {
            do throws(KeychainError) {
                return try await body()
            } catch {
                guard error == .timedOut else { throw error }
            }
        }
        return try await body()
    }

    /// The error that opening the vault ends with.
    func openingError(_ store: VaultStore) async -> KeychainError? {
        await failure { () throws(KeychainError) in _ = try await store.items(service: nil) }
    }

    /// A file whose header's checksum is right, whatever was done to it.
    func withChecksumMadeAnew(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let end = Int(bytes[12]) | Int(bytes[13]) << 8
        guard end > 32, end <= bytes.count else { return bytes }
        bytes.replaceSubrange((end - 32)..<end, with: SHA256.hash(data: bytes[..<(end - 32)]))
        return bytes
    }
}
