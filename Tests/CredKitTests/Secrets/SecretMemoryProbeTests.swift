// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Tests that need a separate process: resource limits and fatal signals.
final class SecretMemoryProbeTests: XCTestCase {
    override func setUpWithError() throws { try skipUnderSanitizer() }

    func testSmallLockLimitIsSurvivedAndReported() throws {
        // Root may lock any amount, so the probe runs without capabilities. It stays the same user, because another
        // user may not be allowed to enter the toolchain's folder.
        let drop = getuid() == 0 ? "setpriv --bounding-set=-all --inh-caps=-all" : ""
        let none = try run("prlimit --memlock=0:0 \(drop) $PROBE lock-limit")
        XCTAssertEqual(none.text, "locked 0, some unlocked, all intact\n")
        let some = try run("prlimit --memlock=65536:65536 \(drop) $PROBE lock-limit")
        XCTAssertEqual(some.text, "some locked, some unlocked, all intact\n")
    }

    func testRunningOutOfMemoryIsThrownAndRecoveredFrom() throws {
        XCTAssertEqual(try run("$PROBE address-space").text, "thrown, then recovered\n")
    }

    func testReadingPastTheEndOfARegionKillsTheProcess() throws {
        // 139: ended by SIGSEGV.
        XCTAssertEqual(try run("$PROBE overrun; echo $?").text, "139\n")
    }

    private func run(_ script: String) throws -> Program.Outcome {
        let probe = Bundle.main.bundleURL.appendingPathComponent("SecretMemoryProbe")
        let environment = ProcessInfo.processInfo.environment.merging(["PROBE": probe.path]) { $1 }
        return try Program.run(["/bin/sh", "-c", script], environment: environment, errors: .kept)
    }
}
