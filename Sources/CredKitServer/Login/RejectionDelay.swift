// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Delays rejections to whole multiples of an interval, so that they do not show why they were made.
struct RejectionDelay: Sendable {
    /// No delay at all.
    static let none = RejectionDelay(interval: .zero)

    let interval: Duration

    /// Returns the time at which a rejection may be answered that was decided `elapsed` after the attempt began, also
    /// counted from there.
    func end(after elapsed: Duration) -> Duration {
        let step = interval.clamped.microseconds
        guard step > 0 else { return .zero }
        return .microseconds((elapsed.clamped.microseconds / step + 1) * step)
    }
}
