// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKit
import Foundation
import XCTest

@testable import CredKitKeychain

/// The store with gnome-keyring on a bus of its own.
final class SecretServiceStoreTests: StoreSuite {
    private let bus = Shared<PrivateBus?>(nil)

    override func setUp() async throws {
        try PrivateBus.skipUnlessInstalled()
        let bus = try PrivateBus()
        try bus.startKeyring()
        self.bus.value = bus
    }

    override func tearDown() async throws { bus.value?.end() }

    override var keepsContentTypes: Bool { false }

    private func store(
        _ collection: String? = nil,
        _ scheme: AttributeScheme = .generic
    ) throws -> SecretServiceStore {
        SecretServiceStore(
            collection: collection,
            scheme: scheme,
            interaction: .never,
            address: try XCTUnwrap(bus.value).address
        )
    }

    override func makeStore() async throws -> any CredentialStore {
        let store = try store()
        for item in try await store.search([:]) { try await store.delete(item.key) }
        return store
    }

    override func unlock(_ store: any CredentialStore) async throws {
        try XCTUnwrap(bus.value).unlock("login", password: PrivateBus.password)
    }

    func testTheStoreDoesWhatEveryStoreMust() async throws { try await runSuite() }
}

/// A value that a test and its set-up share, one after the other.
final class Shared<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
#endif
