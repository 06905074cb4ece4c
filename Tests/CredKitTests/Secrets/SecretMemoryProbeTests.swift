// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// What only a process of its own can show: limits, and being killed.
final class SecretMemoryProbeTests: XCTestCase {
    override func setUpWithError() throws { try skipUnderSanitizer() }

    func testASmallLockLimitIsSurvivedAndCanBeAskedAbout() throws {
        // Root may lock what it likes, so the probe runs as somebody else.
        let drop =
            getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all" : ""
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
        // Elsewhere than in the build folder, which other users may not be allowed to enter.
        let copy = URL(fileURLWithPath: "/tmp/credkit-probe-\(UUID().uuidString)")
        let probe = Bundle.main.bundleURL.appendingPathComponent("SecretMemoryProbe")
        try FileManager.default.copyItem(at: probe, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.environment = ProcessInfo.processInfo.environment.merging(["PROBE": copy.path]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }
}
