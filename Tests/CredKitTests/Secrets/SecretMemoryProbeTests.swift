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
        XCTAssertEqual(none.output, "locked 0, some unlocked, all intact\n")
        let some = try run("prlimit --memlock=65536:65536 \(drop) $PROBE lock-limit")
        XCTAssertEqual(some.output, "some locked, some unlocked, all intact\n")
    }

    func testRunningOutOfMemoryIsThrownAndRecoveredFrom() throws {
        XCTAssertEqual(try run("$PROBE address-space").output, "thrown, then recovered\n")
    }

    func testReadingPastTheEndOfARegionKillsTheProcess() throws {
        // 139: ended by SIGSEGV.
        XCTAssertEqual(try run("$PROBE overrun; echo $?").output, "139\n")
    }

    private func run(_ script: String) throws -> (output: String, status: Int32) {
        let probe = Bundle.main.bundleURL.appendingPathComponent("SecretMemoryProbe")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.environment = ProcessInfo.processInfo.environment.merging(["PROBE": probe.path]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitForExit()
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }
}
