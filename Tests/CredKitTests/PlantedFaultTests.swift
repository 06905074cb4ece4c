// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Faults that the sanitizers must find, so that a clean run of the other tests is meaningful. Only `script/sanitize`
/// plants them.
final class PlantedFaultTests: XCTestCase {
    private final class Counter: @unchecked Sendable {
        var value = 0
    }

    func testRace() throws {
        try XCTSkipUnless(ProcessInfo.processInfo.environment["CREDKIT_PLANT"] == "race", "nothing planted")
        let counter = Counter()
        let done = DispatchSemaphore(value: 0)
        // Nothing orders the two accesses, even if one has ended before the other begins.
        for _ in 0..<2 {
            Thread {
                for _ in 0..<10_000 { counter.value += 1 }
                done.signal()
            }.start()
        }
        for _ in 0..<2 { done.wait() }
        print("counted to \(counter.value)")
    }

    func testOverflow() throws {
        try XCTSkipUnless(
            ProcessInfo.processInfo.environment["CREDKIT_PLANT"] == "overflow",
            "nothing planted"
        )
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
        defer { buffer.deallocate() }
        buffer.initialize(repeating: 0, count: 16)
        print("behind the end stands \(buffer[16 + Int.random(in: 0...1)])")
    }
}
