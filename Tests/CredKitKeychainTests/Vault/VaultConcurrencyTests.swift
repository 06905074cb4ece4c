// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

@testable import CredKitKeychain

/// Several stores, processes and vaults in each other's way.
final class VaultConcurrencyTests: VaultTestCase {
    func testAnotherVaultsUnfinishedFilesAreNotRemoved() async throws {
        try await makeVault()
        // Of a vault beside this one that is called 'vault.work', whose lock is another.
        let unfinished = folder + "/.vault.work.0123456789abcdef.tmp"
        try put([1], at: unfinished)
        _ = try await store().items(service: nil)
        XCTAssertTrue(FileManager.default.fileExists(atPath: unfinished))
    }
}
