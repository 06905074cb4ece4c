// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKit
import Foundation
import XCTest

@testable import CredKitKeychain

/// A real keyring that hangs or ends, once: `script/test-keyrings` starts one for each of these tests.
final class KeyringFailureTests: StoreTestCase {
    func testKeyringThatHangsIsGivenUp() async throws {
        let daemon = try KeyringDaemon()
        let store = daemon.store()
        let item = key("a")
        try await store.set(credential(item, "x"))
        kill(daemon.process, SIGSTOP)
        let impatient = daemon.store(policy: PromptPolicy(mode: .desktop, timeout: .milliseconds(500)))
        let error = await thrown { _ = try await impatient.credential(for: item) }
        XCTAssertEqual(error, .timedOut)
        kill(daemon.process, SIGCONT)
        try await assertSecret("x", item, store)
    }

    func testKeyringThatEndsInABatchIsReported() async throws {
        let daemon = try KeyringDaemon()
        let store = daemon.store()
        try await store.set(credential(key("first"), "x"))
        let batch = try (0..<2000).map { CredentialChange.set(try credential(key("\($0)"), "x")) }
        let writing = Task { () -> KeychainError? in
            do {
                try await store.update(batch)
                return nil
            } catch {
                return error as? KeychainError
            }
        }
        // Ends it once a part of the batch has been stored.
        let (reader, last) = (daemon.store(), key("5"))
        while try await reader.credential(for: last) == nil {}
        kill(daemon.process, SIGKILL)
        let error = await writing.value
        XCTAssertTrue([.failed, .noService].contains(error), "\(error.debugDescription)")
        let after = await thrown { _ = try await store.items(service: nil) }
        XCTAssertEqual(after, .noService)
    }
}
#endif
