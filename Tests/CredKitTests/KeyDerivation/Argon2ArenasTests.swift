// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitSystem
import CredKitTestSupport
import XCTest

/// The memory that one computation after another uses.
final class Argon2ArenasTests: XCTestCase {
    private let arenas = Argon2Arenas(idleTime: .seconds(3600))

    private var idleSizes: [Int] { arenas.state.withLock { $0.idle.map(\.arena.byteCount) } }

    func testMemoryOfTheSameSizeIsUsedAgain() throws {
        let first = try XCTUnwrap(arenas.take(byteCount: 1 << 20))
        let second = try XCTUnwrap(arenas.take(byteCount: 1 << 20))
        XCTAssertNotEqual(first.start, second.start)
        arenas.giveBack(first, isWiped: true)
        arenas.giveBack(second, isWiped: true)
        // The one that is still in the caches.
        let third = try XCTUnwrap(arenas.take(byteCount: 1 << 20))
        XCTAssertEqual(third.start, second.start)
        XCTAssertEqual(idleSizes, [1 << 20])
        arenas.giveBack(third, isWiped: true)
    }

    func testAnotherSizeReturnsAllIdleMemoryFirst() throws {
        let small = try (0..<3).map { _ in try XCTUnwrap(arenas.take(byteCount: 1 << 20)) }
        for arena in small { arenas.giveBack(arena, isWiped: true) }
        XCTAssertEqual(idleSizes, [1 << 20, 1 << 20, 1 << 20])
        let large = try XCTUnwrap(arenas.take(byteCount: 2 << 20))
        XCTAssertEqual(idleSizes, [])
        arenas.giveBack(large, isWiped: true)
        XCTAssertEqual(idleSizes, [2 << 20])
    }

    func testMemoryIsWipedBeforeItIsKept() throws {
        for _ in 0..<(TestForm.isDeep ? 100 : 10) {
            let arena = try XCTUnwrap(arenas.take(byteCount: 1 << 16))
            let bytes = UnsafeMutableBufferPointer(start: arena.start, count: arena.byteCount)
            XCTAssertTrue(bytes.allSatisfy { $0 == 0 })
            for index in bytes.indices { bytes[index] = UInt8.random(in: 1...255) }
            arenas.giveBack(arena, isWiped: true)
        }
    }

    func testNothingRemainsOfPasswordsThatWereHashed() throws {
        let parameters = Argon2.Parameters(memory: .kibibytes(64), passes: 1)
        for number in 0..<100 {
            _ = try Argon2.deriveKey(
                from: Array("marker \(number)".utf8).span,
                salt: [UInt8](repeating: 7, count: 16),
                parameters,
                count: 32,
                Argon2.Computation()
            )
            // Another test of this process may use the memory meanwhile, but then it is not idle.
            let isWiped = Argon2Arenas.shared.state.withLock { state in
                state.idle.allSatisfy { idle in
                    UnsafeBufferPointer(start: idle.arena.start, count: idle.arena.byteCount).allSatisfy {
                        $0 == 0
                    }
                }
            }
            XCTAssertTrue(isWiped)
        }
    }

    func testMemoryOfCancelledComputationsIsNotKept() throws {
        let arena = try XCTUnwrap(arenas.take(byteCount: 1 << 20))
        arenas.giveBack(arena, isWiped: false)
        XCTAssertEqual(idleSizes, [])
    }

    func testIdleMemoryIsReturned() throws {
        let arenas = Argon2Arenas(idleTime: .milliseconds(1))
        for _ in 0..<3 {
            let taken = try (0..<3).map { _ in try XCTUnwrap(arenas.take(byteCount: 1 << 16)) }
            for arena in taken { arenas.giveBack(arena, isWiped: true) }
            arenas.state.wait { $0.idle.isEmpty && !$0.isWatched ? .finish(()) : .wait() }
        }
    }

    func testLockedMemoryIsNotSharedWithOtherComputations() throws {
        let other = try XCTUnwrap(arenas.take(byteCount: 1 << 16))
        arenas.giveBack(other, isWiped: true)
        let locked = try XCTUnwrap(arenas.take(byteCount: 1 << 16, isLocked: true))
        XCTAssertTrue(locked.isLocked)
        XCTAssertEqual(idleSizes, [])
        arenas.giveBack(locked, isWiped: true)
        let again = try XCTUnwrap(arenas.take(byteCount: 1 << 16, isLocked: true))
        XCTAssertEqual(again.start, locked.start)
        arenas.giveBack(again, isWiped: true)
        let last = try XCTUnwrap(arenas.take(byteCount: 1 << 16))
        XCTAssertFalse(last.isLocked)
        XCTAssertEqual(idleSizes, [])
        last.unmap()
    }

    func testAnImpossibleSizeIsOutOfMemory() {
        XCTAssertNil(arenas.take(byteCount: 1 << 62))
    }
}
