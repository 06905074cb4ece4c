// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// A folder for a vault, and helpers for tests.
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
        configuration.stateDirectory = folder + "/state"
        configuration.keySources = try sources ?? [.passphrase(SecretBytes("correct horse"))]
        configuration.argon2idCost = try Argon2idCost(memory: .kibibytes(8), passes: 1)
        // Long, so that a stalling machine fails no test; tests of the deadline set a shorter one.
        configuration.promptPolicy.timeout = .seconds(30)
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

    /// Creates a vault with some items.
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

    /// Returns the error that a call throws.
    func failure(_ body: () async throws(KeychainError) -> Void) async -> KeychainError? {
        do throws(KeychainError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Retries a call that times out, but not forever.
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

    /// Returns the error that opening the vault throws.
    func openingError(_ store: VaultStore) async -> KeychainError? {
        await failure { () throws(KeychainError) in _ = try await store.items(service: nil) }
    }

    /// Returns a file with a valid header checksum, whatever else was changed.
    func withChecksumMadeAnew(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let end = Int(bytes[12]) | Int(bytes[13]) << 8
        guard end > 32, end <= bytes.count else { return bytes }
        bytes.replaceSubrange((end - 32)..<end, with: SHA256.hash(data: bytes[..<(end - 32)]))
        return bytes
    }
}
