// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Measures how much more memory this process has at most than it had at the beginning.
struct PeakMemory {
    private let start: Int

    init() throws {
        // The first call reports what was freed before as well.
        _ = try Self.take()
        start = try Self.take()
    }

    /// Fails a test if the growth is not below a number of bytes.
    func assertGrowth(isBelow limit: Int, file: StaticString = #filePath, line: UInt = #line) throws {
        let growth = try Self.take() - start
        // A sanitizer keeps freed memory for a while.
        guard ProcessInfo.processInfo.environment["CREDKIT_SANITIZER"] == nil else { return }
        XCTAssertLessThan(growth, limit, file: file, line: line)
    }

    /// Returns the largest amount of memory in bytes that this process has had since the last call.
    private static func take() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = try XCTUnwrap(line.flatMap { Int($0.filter(\.isNumber)) })
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        return 1024 * kibibytes
    }
}
