// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

extension XCTestCase {
    /// Skips a test under a sanitizer, which makes `mlock` a no-op, maps terabytes of address space, and handles the
    /// signals of invalid accesses.
    func skipUnderSanitizer() throws {
        let sanitizer = ProcessInfo.processInfo.environment["CREDKIT_SANITIZER"]
        try XCTSkipIf(sanitizer != nil, "the sanitizer changes the tested behaviour")
    }
}
