// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitKeychain

/// The state after a move in which one of the stores fails.
final class KeychainMovingTests: XCTestCase {
    private static let key = CredentialKey(service: "s", account: "a")
    private static let neighbour = CredentialKey(service: "s", account: "a", attributes: ["realm": "x"])

    private func credential(_ key: CredentialKey, _ secret: String) throws -> Credential {
        Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    /// Moves one item to a failing store that has an item with an additional attribute.
    private func moveOne(
        _ failure: FailingStore.Failure
    ) async throws -> (error: KeychainError?, FailingStore) {
        let source = InMemoryStore()
        try await source.set(credential(Self.key, "moved"))
        let target = FailingStore(failure)
        try await target.inner.set(credential(Self.neighbour, "neighbour"))
        var error: KeychainError?
        do throws(KeychainError) {
            try await Keychain.move(from: source, to: target)
        } catch let thrown {
            error = thrown
        }
        let left = await source.items(service: nil)
        XCTAssertEqual(left.map(\.key), [Self.key])
        return (error, target)
    }

    func testFailedMoveRollsBackOnlyItsOwnItems() async throws {
        for failure in [FailingStore.Failure.storing, .readingBack] {
            let (error, target) = try await moveOne(failure)
            XCTAssertEqual(error, .failed)
            let left = await target.inner.items(service: nil)
            XCTAssertEqual(left.map(\.key), [Self.neighbour], "\(failure)")
        }
    }

    func testCancelledMoveRollsBackItsItems() async throws {
        let (error, target) = try await moveOne(.cancelled)
        XCTAssertEqual(error, .cancelled)
        let left = await target.inner.items(service: nil)
        XCTAssertEqual(left.map(\.key), [Self.neighbour])
    }
}

/// A store that fails once.
private actor FailingStore: CredentialStore {
    enum Failure { case storing, readingBack, cancelled }

    nonisolated let name = "failing"
    nonisolated let capabilities: StoreCapabilities = []
    nonisolated let inner = InMemoryStore()
    private let failure: Failure
    private var isStored = false
    private var hasFailed = false

    init(_ failure: Failure) { self.failure = failure }

    private func failAsACancelledTaskDoes() throws(KeychainError) {
        if Task.isCancelled { throw .cancelled }
    }

    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try failAsACancelledTaskDoes()
        if isStored, !hasFailed {
            hasFailed = true
            if failure == .cancelled { withUnsafeCurrentTask { $0?.cancel() } }
            try failAsACancelledTaskDoes()
            throw .failed
        }
        return try await inner.credential(for: key)
    }

    func set(_ credential: Credential) async throws(KeychainError) { try await update([.set(credential)]) }

    func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        try failAsACancelledTaskDoes()
        return try await inner.delete(key)
    }

    func items(service: String?) async throws(KeychainError) -> [CredentialItem] {
        await inner.items(service: service)
    }

    func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        await inner.search(attributes)
    }

    func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        if failure == .storing { throw .failed }
        try await inner.update(changes)
        isStored = true
    }

    func lock() async throws(KeychainError) {}

    func unlock() async throws(KeychainError) {}
}
