// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A processor core that computations of a service share. Each has a thread of its own, of which one at a time computes.
///
/// A computation that kernels also do for several passwords at once leaves its lanes here; the thread whose turn it is advances
/// them with its own. So nothing above the kernels knows of lanes, and computations share nothing but their time.
package final class SharedCore: Sendable {
    private struct State {
        var schedule = LaneSchedule<LaneMemory>()
        var times: [Int: LaneTimes] = [:]
    }

    /// Processor time in seconds.
    private struct LaneTimes {
        /// Of the slices in which lanes of the computation advanced, and its share of that.
        var inLanes = 0.0, share = 0.0
        /// Of the slices that its thread has advanced.
        var advanced = 0.0
        /// The clock of its thread when its turn without lanes began.
        var turn = 0.0
    }

    private let state = Condition(State())

    /// Creates a core on which nothing computes.
    package init() {}

    /// Announces a computation, whose thread then calls ``Seat/begin()``. Computations that start together are announced
    /// before the first of them begins.
    package func expect() -> Seat { Seat(core: self, number: state.withLock { $0.schedule.expect() }) }

    /// The place of one computation.
    package struct Seat: Sendable {
        private let core: SharedCore
        private let number: Int

        fileprivate init(core: SharedCore, number: Int) {
            self.core = core
            self.number = number
        }

        /// Waits for the first turn of the computation.
        package func begin() { core.begin(number) }

        /// Ends the computation, or gives up the place of one that never began.
        package func end() { core.end(number) }

        /// Advances lanes, with those of other computations, until they are done or given up.
        func advance(_ lanes: [LaneMemory], _ kernels: LaneKernels) {
            core.advance(lanes.map { .init(seat: number, kernels: kernels, state: $0) }, of: number)
        }

        /// The processor time of the computation so far, on whichever threads. To be called on its own thread.
        var time: ComputedTime { core.time(of: number) }
    }

    private func begin(_ seat: Int) {
        state.change { state in
            state.times[seat] = LaneTimes()
            state.schedule.arrive(seat)
        }
        state.wait { $0.schedule.active == seat ? .finish(()) : .wait() }
        beginTurn(seat)
    }

    private func beginTurn(_ seat: Int) {
        let now = ThreadClock.computedSeconds
        state.withLock { $0.times[seat]?.turn = now }
    }

    private func end(_ seat: Int) {
        let now = ThreadClock.computedSeconds
        state.change { state in
            // Nothing, if it never began.
            let seconds = state.times.removeValue(forKey: seat).map { now - $0.turn } ?? 0
            state.schedule.leave(seat, after: seconds)
        }
    }

    private func advance(_ lanes: [LaneSchedule<LaneMemory>.Lane], of seat: Int) {
        let now = ThreadClock.computedSeconds
        state.withLock { state in
            state.schedule.add(lanes, after: state.times[seat].map { now - $0.turn } ?? 0)
        }
        while let slice = nextSlice(of: seat) {
            let start = ThreadClock.computedSeconds
            slice.kernels.advance(slice.lanes.map(\.state))
            let seconds = ThreadClock.computedSeconds - start
            let seats = Set(slice.lanes.map(\.seat))
            state.withLock { state in
                state.times[seat]?.advanced += seconds
                for other in seats {
                    state.times[other]?.inLanes += seconds
                    state.times[other]?.share += seconds / Double(seats.count)
                }
                state.schedule.finish(after: seconds) { $0.kernels.isDone($0.state) }
            }
        }
        beginTurn(seat)
    }

    /// Waits for the turn of a computation with lanes. Returns those that its thread advances; `nil` when none of its own are
    /// left.
    private func nextSlice(of seat: Int) -> LaneSchedule<LaneMemory>.Slice? {
        state.wait { state -> Condition<State>.Step<LaneSchedule<LaneMemory>.Slice?> in
            guard state.schedule.active == seat else { return .wait() }
            state.schedule.drop { $0.state.interruption.isRaised }
            guard state.schedule.waits(seat) else { return .finish(nil) }
            if let slice = state.schedule.takeSlice() { return .finish(slice) }
            // It is another's turn.
            self.state.notifyAll()
            return .wait()
        }
    }

    private func time(of seat: Int) -> ComputedTime {
        let times = state.withLock { $0.times[seat] } ?? LaneTimes()
        let own = ThreadClock.computedSeconds - times.advanced
        return ComputedTime(seconds: own + times.inLanes, share: own + times.share)
    }
}

/// Processor time of a computation, in seconds.
package struct ComputedTime: Sendable {
    /// While it advanced, also beside others: nearly what it takes alone.
    package let seconds: Double
    /// Its share: of a time in which several advanced, an equal part.
    package let share: Double

    /// Whether others advanced beside it.
    package var isShared: Bool { share < seconds * 0.99 }

    /// Returns the time from another one until this one.
    package static func - (end: Self, start: Self) -> Self {
        Self(seconds: end.seconds - start.seconds, share: end.share - start.share)
    }
}

extension Interruption {
    /// The processor time of the computation so far. To be called on its thread.
    package var time: ComputedTime {
        if let seat { return seat.time }
        let seconds = ThreadClock.computedSeconds
        return ComputedTime(seconds: seconds, share: seconds)
    }
}
