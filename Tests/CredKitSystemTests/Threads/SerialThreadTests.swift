// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class SerialThreadTests: XCTestCase {
    private typealias Answer = Result<Int, CallFailure>

    func testCallsAreSerialized() async throws {
        let thread = SerialThread()
        let running = Lock(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await thread.run(deadline: .seconds(10), orThrow: { $0 }) { _ -> Answer in
                        let others = running.withLock { running in
                            defer { running += 1 }
                            return running
                        }
                        usleep(1000)
                        running.withLock { $0 -= 1 }
                        return others == 0 ? .success(number) : .failure(.noThread)
                    }
                }
            }
            var sum = 0
            for try await number in group { sum += number }
            XCTAssertEqual(sum, 190)
        }
    }

    func testStuckCallDoesNotBlockOthers() async throws {
        let thread = SerialThread()
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        do throws(CallFailure) {
            let answer = try await thread.run(deadline: .milliseconds(100), orThrow: { $0 }) { _ -> Answer in
                gate.wait()
                return .success(1)
            }
            XCTFail("\(answer)")
        } catch {
            XCTAssertEqual(error, .timedOut)
        }
        let next = try await thread.run(deadline: .seconds(5), orThrow: { $0 }) { _ -> Answer in .success(2) }
        XCTAssertEqual(next, 2)
    }

    func testSlowHandlersDelayNoOtherDeadline() async throws {
        let (begun, gate, stuck) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        defer {
            gate.signal()
            stuck.signal()
        }
        let first = try await SerialThread().run(deadline: .seconds(1), orThrow: { $0 }) {
            token -> Answer in
            token.onStop {
                begun.signal()
                gate.wait()
            }
            begun.wait()
            return .success(1)
        }
        XCTAssertEqual(first, 1)
        do throws(CallFailure) {
            let answer = try await SerialThread().run(deadline: .seconds(1), orThrow: { $0 }) {
                _ -> Answer in
                stuck.wait()
                return .success(2)
            }
            XCTFail("\(answer)")
        } catch {
            XCTAssertEqual(error, .timedOut)
        }
    }

    func testCancelledStuckCallDoesNotBlockOthers() async throws {
        let thread = SerialThread()
        let (gate, begun) = (DispatchSemaphore(value: 0), Lock(false))
        defer { gate.signal() }
        let task = Task {
            try await thread.run(deadline: .seconds(60), orThrow: { $0 }) { _ -> Answer in
                begun.withLock { $0 = true }
                gate.wait()
                return .success(1)
            }
        }
        while !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? CallFailure, .cancelled) }
        let next = try await thread.run(deadline: .seconds(5), orThrow: { $0 }) { _ -> Answer in .success(2) }
        XCTAssertEqual(next, 2)
    }

    func testInteractiveCallMayTakeLongerWithoutBlockingOthers() async throws {
        let thread = SerialThread()
        let (gate, begun) = (DispatchSemaphore(value: 0), Lock(false))
        let task = Task {
            try await thread.run(deadline: .seconds(2), orThrow: { $0 }) { token -> Answer in
                token.extended(by: .seconds(60)) {
                    token.letOthersPass()
                    begun.withLock { $0 = true }
                    gate.wait()
                }
                return .success(1)
            }
        }
        while !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(2500))
        let other = try await thread.run(deadline: .seconds(5), orThrow: { $0 }) { _ -> Answer in .success(2)
        }
        XCTAssertEqual(other, 2)
        gate.signal()
        let answer = try await task.value
        XCTAssertEqual(answer, 1)
    }
}
