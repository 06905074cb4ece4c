// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTesting
import XCTest

/// Shows that the suite finds faults of stores.
final class CredentialStoreSuiteTests: XCTestCase {
    func testFaultsOfStoresAreFound() async throws {
        let expected: [FaultyStore.Fault: String] = [
            .losesReplacements: "items are stored, replaced and deleted", .ignoresAccounts: "coexist",
            .comparesAsText: "keys are compared as bytes", .choosesAnyMatch: "additional attributes",
            .truncatesSecrets: "secrets of any bytes",
            .updatesOneByOne: "a batch is made completely or not at all",
            .listsUnsorted: "items are sorted", .ignoresLocks: "a locked store reveals nothing",
        ]
        XCTAssertEqual(expected.count, FaultyStore.Fault.allCases.count)
        for fault in FaultyStore.Fault.allCases {
            do {
                try await CredentialStoreSuite { FaultyStore(fault) }.run()
                XCTFail("\(fault) was not found")
            } catch let failure as SuiteFailure {
                let name = try XCTUnwrap(expected[fault])
                XCTAssertTrue(failure.description.contains(name), "\(fault): \(failure)")
            }
        }
    }

    func testStoreThatHangsIsReported() async throws {
        var suite = CredentialStoreSuite {
            try await Task.sleep(for: .seconds(3600))
            return InMemoryStore()
        }
        suite.timeLimit = .milliseconds(1)
        do {
            try await suite.run()
            XCTFail("it was not found")
        } catch let failure as SuiteFailure {
            XCTAssertTrue(failure.description.contains("did not finish"), "\(failure)")
        }
    }
}

/// A store with one fault.
private actor FaultyStore: CredentialStore {
    enum Fault: CaseIterable {
        case losesReplacements, ignoresAccounts, comparesAsText, choosesAnyMatch, truncatesSecrets
        case updatesOneByOne, listsUnsorted, ignoresLocks
    }

    nonisolated let name = "faulty"
    nonisolated let capabilities: StoreCapabilities
    private let fault: Fault
    private let store = InMemoryStore()

    init(_ fault: Fault) {
        self.fault = fault
        capabilities = fault == .ignoresLocks ? [.atomicUpdates, .locking] : [.atomicUpdates]
    }

    private func changed(_ key: CredentialKey) -> CredentialKey {
        var key = key
        if fault == .ignoresAccounts, key.account == nil { key.account = "" }
        if fault == .comparesAsText, key.account == "\u{E9}" { key.account = "\u{E9}" }
        return key
    }

    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        guard fault == .choosesAnyMatch else { return try await store.credential(for: changed(key)) }
        do throws(KeychainError) {
            return try await store.credential(for: key)
        } catch {
            guard error == .ambiguous, let item = await store.items(service: key.service).first else {
                throw error
            }
            return try await store.credential(for: item.key)
        }
    }

    func set(_ credential: Credential) async throws(KeychainError) {
        var credential = credential
        credential.item.key = changed(credential.item.key)
        if fault == .losesReplacements, try await store.credential(for: credential.item.key) != nil { return }
        if fault == .truncatesSecrets, credential.secret.count <= 1 << 20 {
            let bytes = credential.secret.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
            guard let secret = try? SecretBytes(Array(bytes.prefix { $0 != 0 })) else { throw .outOfMemory }
            credential.secret = secret
        }
        try await store.set(credential)
    }

    func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        try await store.delete(changed(key))
    }

    func items(service: String?) async -> [CredentialItem] {
        let items = await store.items(service: service)
        return fault == .listsUnsorted ? items.reversed() : items
    }

    func search(_ attributes: [String: String]) async -> [CredentialItem] { await store.search(attributes) }

    func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        guard fault == .updatesOneByOne else { return try await store.update(changes) }
        for change in changes { try await store.update([change]) }
    }

    func lock() {}
    func unlock() {}
}
