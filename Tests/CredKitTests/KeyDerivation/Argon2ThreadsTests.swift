// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitSystem
import Foundation
import XCTest

/// Lanes of Argon2 on several threads, and the end of a computation that is interrupted. `script/test-kernels` tests the threads
/// themselves.
final class Argon2ThreadsTests: XCTestCase {
    /// Of the argon2 command, with the password "password". The first one has the costs of argon2-cffi.
    private static let hashes = [
        "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$gduXp+Z6iReEolmbyHn5V8s1EtJzmEvZfYoY/Fn/AeI",
        "$argon2i$v=16$m=32768,t=1,p=7$c29tZXNhbHQ$a8mW6FZ3gKyy679lImfEd7W/J3lX7J9w",
        "$argon2d$v=19$m=32768,t=2,p=2$c29tZXNhbHRzb21lc2FsdA$kbi103NsNdWfZsRqZY8NNEYsw5rt/qfozEI0FBhrbDw",
    ]

    private func context(threads: Int) throws -> PasswordContext {
        var policy = PasswordPolicy.recommended
        policy.argon2Threads = threads
        return try PasswordContext(policy: policy)
    }

    func testHashesOfSeveralLanesMatchOnAnyNumberOfThreads() throws {
        for threads in [Int.min, 1, 2, 3, .max] {
            let context = try context(threads: threads)
            for hash in Self.hashes {
                let stored = try PasswordHash(hash)
                XCTAssertTrue(try context.matches("password", stored), "\(threads): \(hash)")
                // Once, because the hashes are costly in a debug build.
                guard threads == 2 else { continue }
                XCTAssertFalse(try context.matches("passwort", stored), hash)
            }
        }
    }

    func testAServiceComputesEachHashOnOneThread() throws {
        let context = try context(threads: 4)
        XCTAssertEqual(context.context.argon2.threads, 4)
        XCTAssertEqual(PasswordContext(context, interruption: Interruption()).context.argon2.threads, 1)
    }

    /// `script/test-kernels` counts what is computed after an interruption.
    func testAnInterruptedComputationEnds() throws {
        for (lanes, threads) in [(1, 1), (4, 1), (4, 2)] {
            let interruption = Interruption()
            var clock = clockid_t()
            XCTAssertEqual(pthread_getcpuclockid(pthread_self(), &clock), 0)
            let start = Self.seconds(clock)
            let interrupting = Thread { [clock] in
                // When that thread has computed for so long, however long it waits for a processor.
                while Self.seconds(clock) < start + 0.02 { usleep(200) }
                interruption.raise()
            }
            interrupting.start()
            XCTAssertThrowsError(
                try Argon2.deriveKey(
                    from: Array("password".utf8).span,
                    salt: [UInt8](repeating: 7, count: 16),
                    // A minute.
                    Argon2.Parameters(memory: Self.memory, passes: 2000, lanes: lanes),
                    count: 32,
                    Argon2.Computation(threads: threads, interruption: interruption)
                )
            ) { XCTAssertEqual($0 as? KeyDerivationError, .cancelled) }
            // Wiping it would take longer than a cancellation may.
            let isKept = Argon2Arenas.shared.state.withLock { state in
                state.idle.contains { $0.arena.byteCount == Self.memory.kibibytes * 1024 }
            }
            XCTAssertFalse(isKept)
        }
    }

    /// Of no other test.
    private static let memory = MemorySize.kibibytes(50_000)

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
