// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

extension XCTestCase {
    /// Leaves a test out where a sanitizer stands between the process and the system: it makes `mlock` do
    /// nothing, maps terabytes of address space for itself, and takes the signals of bad accesses.
    func skipUnderSanitizer() throws {
        let sanitizer = ProcessInfo.processInfo.environment["CREDKIT_SANITIZER"]
        try XCTSkipIf(sanitizer != nil, "the sanitizer changes what is tested")
    }
}
