// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import XCTest

/// Helpers for the tests of a store.
class StoreTestCase: XCTestCase {
    func key(_ account: String) -> CredentialKey { CredentialKey(service: "s", account: account) }

    func credential(_ key: CredentialKey, _ secret: String) throws -> Credential {
        Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    func assertSecret(
        _ secret: String?,
        _ key: CredentialKey,
        _ store: any CredentialStore,
        file: StaticString = #filePath,
        line: UInt = #line
    ) async throws {
        let read = try await store.credential(for: key)?.secret
        // Failure messages of tests may show their secrets.
        let text = read?.withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        XCTAssertEqual(text, secret, "\(key)", file: file, line: line)
    }
}

extension XCTestCase {
    /// Returns the error that a call throws; `nil` if it throws none.
    func thrown(_ call: @Sendable () async throws -> Void) async -> KeychainError? {
        do {
            try await call()
            return nil
        } catch {
            XCTAssertTrue(error is KeychainError, "\(error)")
            return error as? KeychainError
        }
    }
}
