// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Testing

/// The order in which computations of a core go on, without threads and times.
@Suite struct LaneScheduleTests {
    private typealias Schedule = LaneSchedule<Int>

    /// Kernels that any lane can join, and others whose lanes start together.
    private static let (anytime, together) = (
        LaneKernels(PBKDF2.Function.sha256), LaneKernels.scrypt(logN: 4, blockSize: 8)
    )

    private static func schedule(_ most: Int = 4) -> Schedule { Schedule { min($1, most) } }

    private func lane(_ seat: Int, _ kernels: LaneKernels, _ state: Int = 0) -> Schedule.Lane {
        Schedule.Lane(seat: seat, kernels: kernels, state: state)
    }

    @Test func oneComputationIsActiveAtATime() {
        var schedule = Self.schedule()
        let seats = (0..<3).map { _ in schedule.expect() }
        #expect(schedule.active == nil)
        for seat in seats { schedule.arrive(seat) }
        #expect(schedule.active == seats[0])
        // One that has no lanes ends, and the next one has its turn.
        schedule.leave(seats[0])
        #expect(schedule.active == seats[1])
        schedule.leave(seats[1])
        #expect(schedule.active == seats[2])
        schedule.leave(seats[2])
        #expect(schedule.active == nil)
    }

    @Test(.enabled(if: anytime != nil, "OpenSSL computes in this process"))
    func anotherJoinsAtTheNextSlice() throws {
        let kernels = try #require(Self.anytime)
        var schedule = Self.schedule()
        let (first, second) = (schedule.expect(), schedule.expect())
        schedule.arrive(first)
        schedule.add([lane(first, kernels)])
        // It does not wait for the one that has not arrived.
        #expect(schedule.takeSlice()?.lanes.map(\.seat) == ([first] as [Int]))
        schedule.arrive(second)
        #expect(schedule.active == first)
        // After the slice the other one has its turn, until it also has a lane.
        #expect(schedule.takeSlice() == nil)
        #expect(schedule.active == second)
        schedule.add([lane(second, kernels)])
        #expect(schedule.takeSlice()?.lanes.map(\.seat) == ([first, second] as [Int]))
        // The second one's thread advances both. When the first is done, it goes on after the second one's slices.
        schedule.finish { $0.seat == first }
        #expect(schedule.active == second)
        #expect(schedule.takeSlice() == nil)
        #expect(schedule.active == first)
        schedule.leave(first)
        #expect(schedule.active == second)
        #expect(schedule.takeSlice()?.lanes.map(\.seat) == ([second] as [Int]))
    }

    @Test func lanesThatStartTogetherWaitForThoseThatWereAdmittedWithThem() {
        var schedule = Self.schedule()
        let seats = (0..<3).map { _ in schedule.expect() }
        schedule.arrive(seats[0])
        schedule.add([lane(seats[0], Self.together)])
        #expect(schedule.takeSlice() == nil)
        #expect(schedule.active == nil)
        schedule.arrive(seats[1])
        #expect(schedule.active == seats[1])
        schedule.add([lane(seats[1], Self.together)])
        #expect(schedule.takeSlice() == nil)
        // The last one never comes, for example because there is no thread for it.
        schedule.leave(seats[2])
        #expect(schedule.active == seats[0])
        #expect(schedule.takeSlice()?.lanes.map(\.seat) == ([seats[0], seats[1]] as [Int]))
    }

    /// Others that never have lanes, and of which another one is always announced, do not keep it from its start.
    @Test func lanesThatStartTogetherDoNotWaitForLaterOnes() {
        var schedule = Self.schedule()
        let (first, second) = (schedule.expect(), schedule.expect())
        schedule.arrive(first)
        schedule.add([lane(first, Self.together)])
        #expect(schedule.takeSlice() == nil)
        schedule.arrive(second)
        let later = schedule.expect()
        schedule.leave(second)
        #expect(schedule.active == first)
        #expect(schedule.takeSlice()?.lanes.map(\.seat) == ([first] as [Int]))
        schedule.finish { _ in true }
        // A second part does not wait either.
        schedule.add([lane(first, Self.together)])
        #expect(schedule.takeSlice()?.lanes.map(\.seat) == ([first] as [Int]))
        schedule.drop { _ in true }
        schedule.leave(first)
        schedule.arrive(later)
        #expect(schedule.active == later)
    }

    @Test(.enabled(if: anytime != nil, "OpenSSL computes in this process"))
    func cancelledLaneLeavesTheOthers() throws {
        let kernels = try #require(Self.anytime)
        var schedule = Self.schedule()
        let seats = (0..<3).map { _ in schedule.expect() }
        for seat in seats { schedule.arrive(seat) }
        for seat in seats {
            #expect(schedule.active == seat)
            schedule.add([lane(seat, kernels, 2 * seat), lane(seat, kernels, 2 * seat + 1)])
            if seat != seats[2] { #expect(schedule.takeSlice() == nil) }
        }
        schedule.drop { $0.seat == seats[1] }
        #expect(!schedule.waits(seats[1]))
        #expect(schedule.takeSlice() == nil)
        #expect(schedule.active == seats[1])
        schedule.leave(seats[1])
        #expect(schedule.lanes.map(\.seat) == ([seats[0], seats[0], seats[2], seats[2]] as [Int]))
        #expect(schedule.active == seats[0])
    }

    @Test(.enabled(if: anytime != nil, "OpenSSL computes in this process"))
    func groupsOfACoreTakeTurns() throws {
        let kernels = try #require(Self.anytime)
        var schedule = Self.schedule(2)
        let seats = (0..<2).map { _ in schedule.expect() }
        for seat in seats { schedule.arrive(seat) }
        schedule.add((0..<3).map { lane(seats[0], kernels, $0) })
        #expect(schedule.takeSlice() == nil)
        schedule.add([lane(seats[1], Self.together, 3)])
        let slices = (0..<4).map { _ in schedule.takeSlice()?.lanes.map(\.state) ?? [] }
        #expect(slices == [[0, 1], [2, 0], [3], [1, 2]] as [[Int]])
    }

    @Test(.enabled(if: anytime != nil, "OpenSSL computes in this process"))
    func lanesAdvanceForAsLongAsOthersComputed() throws {
        let kernels = try #require(Self.anytime)
        var schedule = Self.schedule()
        let seats = (0..<4).map { _ in schedule.expect() }
        for seat in seats { schedule.arrive(seat) }
        schedule.add([lane(seats[0], kernels)])
        #expect(schedule.takeSlice() == nil)
        // The second one computes without lanes, and the third would do the same.
        schedule.leave(seats[1], after: 0.02)
        for _ in 0..<4 {
            #expect(schedule.active == seats[0])
            #expect(schedule.takeSlice()?.lanes.map(\.seat) == ([seats[0]] as [Int]))
            schedule.finish(after: 0.005) { _ in false }
        }
        #expect(schedule.takeSlice() == nil)
        #expect(schedule.active == seats[2])
        // Without lanes nothing is owed.
        schedule.drop { _ in true }
        schedule.leave(seats[2], after: 1)
        #expect(schedule.active == seats[3])
    }

    /// Any order of arrivals, cancellations, ends and computations without lanes: someone is always active while someone can go
    /// on, all end, and no lane is left.
    @Test func everyOrderEnds() {
        for seed in 0..<(TestForm.isDeep ? 50_000 : 1000) { expectEnd(seed: UInt64(seed)) }
    }

    private func expectEnd(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var schedule = Self.schedule(.random(in: 1...4, using: &random))
        let kernels = [Self.anytime ?? Self.together, Self.together]
        let count = Int.random(in: 1...9, using: &random)
        var announced = (0..<count).map { _ in schedule.expect() }
        // The work that is left of each computation that has arrived, in parts with lanes.
        var parts: [Int: Int] = [:]
        var work: [Int: Int] = [:]
        var nextLane = 0
        var steps = 0
        while !announced.isEmpty || !parts.isEmpty {
            steps += 1
            guard steps < 10_000 else {
                Issue.record("it does not end with seed \(seed)")
                return
            }
            if !announced.isEmpty, schedule.active == nil || Int.random(in: 0..<3, using: &random) == 0 {
                let seat = announced.remove(at: .random(in: announced.indices, using: &random))
                if Int.random(in: 0..<5, using: &random) == 0 {
                    schedule.leave(seat)
                } else {
                    parts[seat] = .random(in: 0...3, using: &random)
                    schedule.arrive(seat)
                }
                continue
            }
            guard let active = schedule.active, let left = parts[active] else {
                guard parts.isEmpty else {
                    Issue.record("none is active with seed \(seed)")
                    return
                }
                continue
            }
            if schedule.waits(active) {
                if Int.random(in: 0..<6, using: &random) == 0 {
                    // Any computation with lanes may be cancelled.
                    let seat = schedule.lanes.randomElement(using: &random)?.seat
                    schedule.drop { $0.seat == seat }
                    continue
                }
                guard let slice = schedule.takeSlice() else { continue }
                #expect(slice.lanes.allSatisfy { $0.kernels == slice.kernels })
                #expect(!slice.kernels.startsTogether || schedule.expected.isEmpty)
                for lane in slice.lanes { work[lane.state, default: 0] -= 1 }
                if slice.kernels.startsTogether { for lane in slice.lanes { work[lane.state] = 0 } }
                schedule.finish(after: .random(in: 0...1, using: &random)) { work[$0.state] ?? 0 <= 0 }
            } else if left == 0 {
                parts[active] = nil
                schedule.leave(active, after: .random(in: 0...4, using: &random))
            } else {
                parts[active] = left - 1
                let own = kernels.randomElement(using: &random) ?? Self.together
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    nextLane += 1
                    work[nextLane] = .random(in: 1...5, using: &random)
                    schedule.add([lane(active, own, nextLane)])
                }
            }
        }
        #expect(schedule.lanes.isEmpty)
        #expect(schedule.active == nil)
    }
}
