// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Calls that run one after another, in the order in which they came.
struct TurnQueue: Sendable {
    /// Whether a call is running.
    private var isBusy = false
    private var waiting: [SharedOutcome<Void>] = []

    /// Adds a call, and returns whether it can run at once. Otherwise it waits for its turn.
    mutating func enter(_ turn: SharedOutcome<Void>) -> Bool {
        defer { isBusy = true }
        if isBusy { waiting.append(turn) }
        return !isBusy
    }

    /// Ends the running call, and returns the turn of the next one.
    mutating func leave() -> SharedOutcome<Void>? {
        guard !waiting.isEmpty else {
            isBusy = false
            return nil
        }
        return waiting.removeFirst()
    }

    /// Removes a call that waits, and returns whether it did.
    mutating func withdraw(_ turn: SharedOutcome<Void>) -> Bool {
        guard let index = waiting.firstIndex(where: { $0 === turn }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Cancels all calls that wait.
    func cancelAll() {
        for turn in waiting { turn.give(.failure(.cancelled)) }
    }
}
