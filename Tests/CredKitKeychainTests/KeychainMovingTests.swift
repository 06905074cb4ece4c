// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import CredKitTestSupport
import Foundation
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

    /// In a vault, the key of that vault would be behind itself.
    func testKeysOfVaultsStayWhereTheyAre() async throws {
        let (source, target) = (InMemoryStore(), InMemoryStore())
        let key = CredentialKey(.vaultSlot, service: "credkit-vault", account: "00")
        try await source.update([.set(credential(key, "key")), .set(credential(Self.key, "moved"))])
        let moved = try await Keychain.move(from: source, to: target)
        XCTAssertEqual(moved.map(\.key), [Self.key])
        let left = await source.items(service: nil)
        XCTAssertEqual(left.map(\.key), [key])
        let added = try await Keychain(store: target).add([credential(key, "planted")])
        XCTAssertEqual(added, [])
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

    func testItemThatIsChangedDuringTheMoveStaysInTheSource() async throws {
        let source = InMemoryStore()
        for account in ["a", "b"] {
            try await source.set(credential(CredentialKey(service: "s", account: account), "old"))
        }
        let changed = try credential(Self.key, "new")
        let target = FailingStore(.none, onUpdate: { try await source.set(changed) })
        var error: KeychainError?
        do throws(KeychainError) {
            try await Keychain.move(from: source, to: target)
        } catch let thrown {
            error = thrown
        }
        XCTAssertEqual(error, .busy)
        let left = await source.items(service: nil)
        XCTAssertEqual(left.map(\.key), [Self.key])
        let secret = try await source.credential(for: Self.key)?.secret
        XCTAssertEqual(secret, try SecretBytes("new"))
        let moved = await target.inner.items(service: nil)
        XCTAssertEqual(moved.count, 2)
    }

    func testMovingNothingFromAMissingVaultIsNoError() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        var configuration = VaultConfiguration()
        configuration.path = folder + "/vault"
        configuration.stateDirectory = folder + "/state"
        let moved = try await Keychain.move(from: VaultStore(configuration), to: InMemoryStore())
        XCTAssertEqual(moved, [])
    }

    func testMoveOfAVaultToItselfOrItsCopyIsRefused() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        var configuration = VaultConfiguration()
        configuration.path = folder + "/vault"
        configuration.stateDirectory = folder + "/state"
        configuration.keySources = [.passphrase(try SecretBytes("x"))]
        configuration.argon2idCost = try Argon2idCost(memory: .kibibytes(8), passes: 1)
        let source = try VaultStore(configuration)
        try await source.set(credential(Self.key, "secret"))
        symlink(folder, folder + "/link")
        try FileManager.default.copyItem(atPath: folder + "/vault", toPath: folder + "/copy")
        for name in ["vault", "./vault", "link/vault", "copy"] {
            configuration.path = folder + "/" + name
            let target = try VaultStore(configuration)
            var error: KeychainError?
            do throws(KeychainError) {
                try await Keychain.move(from: source, to: target)
            } catch let thrown {
                error = thrown
            }
            XCTAssertEqual(error, .invalid, name)
        }
        let left = try await source.items(service: nil)
        XCTAssertEqual(left.count, 1)
    }

    func testMovesInOppositeDirectionsLoseNothing() async throws {
        for _ in 0..<50 {
            let stores = [InMemoryStore(), InMemoryStore()]
            for store in stores { try await store.set(credential(Self.key, "x")) }
            let moves = [(0, 1), (1, 0)].map { from, to in
                Task { try await Keychain.move(from: stores[from], to: stores[to]) }
            }
            for move in moves { _ = try await move.value }
            var count = 0
            for store in stores { count += await store.items(service: nil).count }
            XCTAssertEqual(count, 1)
        }
    }
}

/// A store that fails once.
private actor FailingStore: CredentialStore {
    enum Failure { case storing, readingBack, cancelled, none }

    nonisolated let name = "failing"
    nonisolated let capabilities: StoreCapabilities = []
    nonisolated let inner = InMemoryStore()
    private let failure: Failure
    private var isStored = false
    private var hasFailed = false

    private let onUpdate: @Sendable () async throws -> Void

    init(_ failure: Failure, onUpdate: @escaping @Sendable () async throws -> Void = {}) {
        self.failure = failure
        self.onUpdate = onUpdate
    }

    private func failAsACancelledTaskDoes() throws(KeychainError) {
        if Task.isCancelled { throw .cancelled }
    }

    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try failAsACancelledTaskDoes()
        if isStored, !hasFailed, failure != .none {
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
        try? await onUpdate()
    }

    func lock() async throws(KeychainError) {}

    func unlock() async throws(KeychainError) {}
}
