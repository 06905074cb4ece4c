// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Decides which computation of a shared core goes on.
///
/// One of them is active at a time. The others wait: for their turn, or in lanes, which the active one advances together with
/// its own, slice by slice. No one waits in order to fill lanes, except at the start of a computation that none can join later:
/// then for those that were admitted before, but not for later ones, of which there may be always another.
///
/// What computes without lanes cannot be divided into slices. Lanes that wait meanwhile then advance for as long, so that many
/// such computations do not keep them from their ends.
struct LaneSchedule<State> {
    /// A part of a computation that can advance beside others.
    struct Lane {
        /// Whose it is.
        let seat: Int
        let kernels: LaneKernels
        /// What the kernels advance.
        let state: State
    }

    /// Lanes of the same kernels that advance together.
    struct Slice {
        let kernels: LaneKernels
        let lanes: [Lane]
    }

    /// About the seconds of a slice. What computes without lanes for less is not worth another order.
    private static var slice: Double { 0.001 }

    /// The computation that is active.
    private(set) var active: Int?
    /// The computations that were admitted, and have neither added lanes nor left.
    private(set) var expected: Set<Int> = []
    /// Those that wait for their turn, in its order.
    private var ready: [Int] = []
    /// Those that wait in lanes, in the order of their next slices.
    private(set) var lanes: [Lane] = []
    /// The seconds for which lanes advance before others have their turns.
    private var owed = 0.0
    private var lastSeat = 0
    /// For each computation that has added lanes, the last one that was announced before.
    private var lastAwaited: [Int: Int] = [:]
    /// Returns how many of a number of lanes are best advanced at once.
    private let laneCount: (LaneKernels, Int) -> Int

    init(laneCount: @escaping (LaneKernels, Int) -> Int = { $0.laneCount(of: $1) }) {
        self.laneCount = laneCount
    }

    /// Announces a computation. Returns its number.
    mutating func expect() -> Int {
        lastSeat += 1
        expected.insert(lastSeat)
        return lastSeat
    }

    /// A computation that was expected is there.
    mutating func arrive(_ seat: Int) {
        ready.append(seat)
        passOn()
    }

    /// A computation has ended, or was expected and does not come. It has computed for some seconds since its turn began.
    mutating func leave(_ seat: Int, after seconds: Double = 0) {
        expected.remove(seat)
        lastAwaited[seat] = nil
        if active == seat { active = nil }
        owe(seconds)
        passOn()
    }

    /// Adds lanes of the active computation, which has computed for some seconds since its turn began.
    mutating func add(_ added: [Lane], after seconds: Double = 0) {
        owe(seconds)
        lanes += added
        expected.subtract(added.map(\.seat))
        for lane in added where lastAwaited[lane.seat] == nil { lastAwaited[lane.seat] = lastSeat }
    }

    /// Whether a computation has lanes that are not done.
    func waits(_ seat: Int) -> Bool { lanes.contains { $0.seat == seat } }

    /// Gives up the lanes for which `isCancelled` is true. Their computations go on in their turn.
    mutating func drop(_ isCancelled: (Lane) -> Bool) {
        let dropped = lanes.filter(isCancelled).map(\.seat)
        guard !dropped.isEmpty else { return }
        lanes.removeAll(where: isCancelled)
        awaken(dropped)
    }

    /// Returns the lanes that the active computation advances next; `nil` if it is another's turn, which is then active.
    mutating func takeSlice() -> Slice? {
        if lanesAreNext, let first = lanes.first(where: isDrivable) {
            var taken = 0
            let candidates = lanes.count { $0.kernels == first.kernels }
            let count = laneCount(first.kernels, candidates)
            var (slice, rest): ([Lane], [Lane]) = ([], [])
            for lane in lanes {
                if lane.kernels == first.kernels, taken < count {
                    slice.append(lane)
                    taken += 1
                } else {
                    rest.append(lane)
                }
            }
            // The others come first next time.
            lanes = rest + slice
            return Slice(kernels: first.kernels, lanes: slice)
        }
        active = nil
        passOn()
        return nil
    }

    /// Removes the lanes that are done after a slice of some seconds. Their computations go on in their turn.
    mutating func finish(after seconds: Double = 0, _ isDone: (Lane) -> Bool) {
        owed = max(0, owed - seconds)
        drop(isDone)
    }

    private mutating func owe(_ seconds: Double) {
        if lanes.isEmpty {
            owed = 0
        } else if seconds > Self.slice {
            owed += seconds
        }
    }

    private var lanesAreNext: Bool { ready.isEmpty || owed > 0 }

    private func isDrivable(_ lane: Lane) -> Bool {
        guard lane.kernels.startsTogether, let last = lastAwaited[lane.seat] else { return true }
        return expected.allSatisfy { $0 > last }
    }

    private mutating func awaken(_ seats: [Int]) {
        for seat in seats where seat != active && !waits(seat) && !ready.contains(seat) { ready.append(seat) }
    }

    private mutating func passOn() {
        guard active == nil else { return }
        if lanesAreNext, let first = lanes.first(where: isDrivable) {
            active = first.seat
        } else if !ready.isEmpty {
            active = ready.removeFirst()
        }
    }
}
