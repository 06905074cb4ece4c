// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// KeePassXC as it is by default, when it asks before it reveals or deletes an item of another program.
final class KeyringConfirmationTests: StoreTestCase {
    func testItemOfAnotherProgramIsRevealedAndDeletedAfterConfirmation() async throws {
        let daemon = try KeyringDaemon()
        guard ProcessInfo.processInfo.environment["CREDKIT_KEYRING_CONFIRMS"] == "1",
            daemon.kind == .keepassxc
        else {
            throw XCTSkip("the keyring does not ask")
        }
        let item = key("a")
        let stored = try daemon.run(
            "secret-tool",
            ["store", "--label", "L", "service", "s", "username", "a"],
            input: "x"
        )
        XCTAssertEqual(stored.status, 0)
        let (store, silent) = (daemon.store(), daemon.store(policy: .never))
        let hidden = await thrown { _ = try await silent.credential(for: item) }
        XCTAssertEqual(hidden, .locked)
        XCTAssertTrue(
            hidden.debugDescription.contains("asks for confirmation before it reveals"),
            "\(hidden as Any)"
        )
        let denied = await thrown {
            try await daemon.answering("deny") { _ = try await store.credential(for: item) }
        }
        XCTAssertEqual(denied, .dismissed)
        let revealed = try await daemon.answering("accept") { try await store.credential(for: item)?.secret }
        XCTAssertEqual(revealed, try SecretBytes("x"))
        // Once accepted, this program needs no confirmation.
        try await assertSecret("x", item, silent)
        let kept = await thrown { try await silent.delete(item) }
        XCTAssertEqual(kept, .locked)
        try await assertSecret("x", item, silent)
        let isDeleted = try await daemon.answering("accept") { try await store.delete(item) }
        XCTAssertTrue(isDeleted)
        try await assertSecret(nil, item, silent)
    }
}
#endif
