// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class ConditionTests: XCTestCase {
    func testEachChangeReachesAllThreadsThatWait() {
        let turn = Condition(0)
        // Each thread waits for its turn, so that a lost wake-up would stop all of them.
        JoinedThreads.run(8) { number in
            for round in 0..<200 {
                turn.wait { turn -> Condition<Int>.Step<Void> in
                    guard turn == round * 8 + number else { return .wait() }
                    turn += 1
                    return .finish(())
                }
                turn.notifyAll()
            }
        }
        XCTAssertEqual(turn.withLock { $0 }, 1600)
    }

    func testNothingIsLostOrTakenTwiceBetweenProducersAndConsumers() {
        struct Items: Sendable {
            var waiting: [Int] = []
            var taken: [Int] = []
            var producers = 4
        }
        let items = Condition(Items())
        JoinedThreads.run(8) { number in
            if number < 4 {
                for item in 0..<500 { items.change { $0.waiting.append(number * 500 + item) } }
                items.change { $0.producers -= 1 }
                return
            }
            var isOpen = true
            while isOpen {
                isOpen = items.wait { items in
                    if !items.waiting.isEmpty {
                        items.taken.append(items.waiting.removeFirst())
                        return .finish(true)
                    }
                    return items.producers == 0 ? .finish(false) : .wait()
                }
            }
        }
        XCTAssertEqual(items.withLock { $0.taken.sorted() }, Array(0..<2000))
    }

    func testWaitingEndsWithItsTimeAndLooksAgain() {
        let condition = Condition(0)
        for time: Duration in [.milliseconds(1), .zero, .seconds(-1), .nanoseconds(999_999_999)] {
            var looks = 0
            let result: String = condition.wait { _ in
                looks += 1
                return looks == 3 ? .finish("done") : .wait(looks == 1 ? time : .nanoseconds(1))
            }
            XCTAssertEqual(result, "done")
        }
    }

    func testChangeEndsAWaitOfAnyLength() {
        let condition = Condition(0)
        JoinedThreads.run(2) { number in
            if number == 1 {
                condition.wait { value -> Condition<Int>.Step<Void> in
                    value += 1
                    return value == 2 ? .finish(()) : .wait(.seconds(Int64.max))
                }
            } else {
                // Changes the value after the other thread has begun to wait.
                condition.wait { value -> Condition<Int>.Step<Void> in
                    value == 1 ? .finish(()) : .wait(.milliseconds(1))
                }
                condition.notifyAll()
            }
        }
        XCTAssertEqual(condition.withLock { $0 }, 2)
    }

    func testChangeReturnsTheResult() {
        let condition = Condition(["a"])
        XCTAssertEqual(condition.change { $0.removeLast() }, "a")
        XCTAssertTrue(condition.withLock { $0.isEmpty })
    }
}
