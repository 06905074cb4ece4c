// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The times of changes in KeePassXC, in bursts between which it can save.
///
/// KeePassXC saves 150 ms after a change, in a thread, and crashes if a change is made meanwhile (observed with 2.7.4). It
/// does not tell when it has saved. Changes are therefore made in the first 50 ms, so that it receives them before it
/// saves, and the next ones after a second, when none of its threads works.
struct ChangePacing {
    /// The start of the last burst.
    private var begin: ContinuousClock.Instant?

    /// Returns how long to wait before a change.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The time until the next burst can start; `nil` if the change belongs to the current one.
    func timeUntilBurst(at now: ContinuousClock.Instant) -> Duration? {
        guard let begin else { return .zero }
        return now <= begin + .milliseconds(50) ? nil : max(.zero, begin + .seconds(1) - now)
    }

    /// Starts a burst.
    ///
    /// - Parameter now: The current time.
    mutating func startBurst(at now: ContinuousClock.Instant) { begin = now }
}
