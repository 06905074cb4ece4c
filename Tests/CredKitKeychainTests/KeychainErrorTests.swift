// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitKeychain

/// Errors, and what becomes of those of a user's own store.
final class KeychainErrorTests: XCTestCase {
    private struct DatabaseError: Error, Equatable {}

    /// The errors of every call of a keychain, and of moving items out of and into a store.
    private func errors(of store: any CredentialStore, fallbacks: [any CredentialStore] = []) async throws
        -> [KeychainError]
    {
        let keychain = Keychain(store: store, fallbacks: fallbacks)
        let key = CredentialKey(service: "s", account: "a")
        let credential = Credential(item: CredentialItem(key: key), secret: try SecretBytes("secret"))
        let full = InMemoryStore()
        try await full.set(credential)
        var errors: [KeychainError] = []
        for call in [
            { _ = try await keychain.credential(for: key) }, { try await keychain.set(credential) },
            { _ = try await keychain.delete(key) }, { _ = try await keychain.items() },
            { _ = try await keychain.search([:]) }, { try await keychain.update([.delete(key)]) },
            { _ = try await keychain.password(service: "s", account: "a") },
            { try await keychain.setPassword("x", service: "s", account: "a") },
            { _ = try await Keychain.move(from: store, to: full) },
            { _ = try await Keychain.move(from: full, to: store) },
        ] as [() async throws -> Void] {
            do {
                try await call()
            } catch {
                errors.append(try XCTUnwrap(error as? KeychainError, "\(error)"))
            }
        }
        return errors
    }

    func testForeignErrorsAreWrapped() async throws {
        let errors = try await errors(of: BrokenStore(error: DatabaseError()))
        XCTAssertEqual(errors.count, 10)
        for error in errors {
            XCTAssertEqual(error.code, .failed)
            XCTAssertEqual(error.underlying as? DatabaseError, DatabaseError())
            XCTAssertEqual(error.message, "the store 'broken' failed: DatabaseError")
        }
    }

    func testKeychainErrorsPassUnchanged() async throws {
        let own = KeychainError(
            .init(rawValue: "quotaExceeded"),
            message: "full",
            underlying: DatabaseError()
        )
        for error in try await errors(of: BrokenStore(error: own)) {
            XCTAssertEqual(error, own)
            XCTAssertEqual(error.message, "full")
            XCTAssertTrue(error.underlying is DatabaseError)
        }
    }

    func testCancellationBecomesCancelled() async throws {
        let errors = try await errors(of: BrokenStore(error: CancellationError()))
        XCTAssertEqual(errors, Array(repeating: .cancelled, count: 10))
    }

    func testErrorsOfFallbacksAreWrappedAndMissingOnesAreSkipped() async throws {
        let fallback = BrokenStore(error: DatabaseError())
        let errors = try await errors(of: InMemoryStore(), fallbacks: [fallback])
        // One with the key, deleting, listing, searching, and the password; moving has no fallbacks.
        XCTAssertEqual(
            errors.filter { $0.underlying is DatabaseError }.map(\.code),
            Array(repeating: .failed, count: 5)
        )
        let keychain = Keychain(store: InMemoryStore(), fallbacks: [BrokenStore(error: KeychainError.noBus)])
        let items = try await keychain.items()
        XCTAssertEqual(items, [])
    }

    func testErrorsAreCaughtByNameAndByCode() async throws {
        for expected in [KeychainError.locked, .timedOut, .denied] {
            var caught = ""
            do throws(KeychainError) {
                _ = try await Keychain(store: BrokenStore(error: expected)).items()
            } catch .locked {
                caught = "locked"
            } catch  where error.code == .timedOut {
                caught = "timedOut"
            } catch {
                caught = error.code.rawValue
            }
            XCTAssertEqual(caught, expected.code.rawValue)
        }
    }

    func testErrorCarriesItsCandidates() {
        let error = KeychainError(.ambiguous, message: "two", candidates: ["a", "b"])
        XCTAssertEqual(error, .ambiguous)
        XCTAssertEqual(error.candidates, ["a", "b"])
        XCTAssertEqual("\(error)", "two")
        XCTAssertEqual(MemoryLayout<KeychainError>.size, MemoryLayout<UnsafeRawPointer>.size)
    }

    func testCostsOfAVaultAreChecked() throws {
        let cost = try Argon2idCost(memory: .mebibytes(64), passes: 3)
        XCTAssertEqual(cost, .standard)
        for (memory, passes, expected) in [
            (MemorySize.kibibytes(7), 1, KeychainError.overLimit), (.gibibytes(2), 1, .overLimit),
            (.bytes(.max), 64, .overLimit), (.gibibytes(1), 5, .overLimit), (.mebibytes(1), 0, .overLimit),
            (.mebibytes(1), 65, .overLimit), (.bytes(8193), 1, .invalid),
        ] {
            XCTAssertThrowsError(try Argon2idCost(memory: memory, passes: passes)) {
                XCTAssertEqual($0 as? KeychainError, expected, "\(memory), \(passes)")
            }
        }
        XCTAssertNoThrow(try Argon2idCost(memory: .gibibytes(1), passes: 4))
    }
}
