// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// A duration that no store can tell from forever: 34,000 years.
    private static let longest = Duration.seconds(1 << 40)

    /// The duration within 0 and 34,000 years, so that arithmetic with it cannot overflow.
    var clamped: Duration { min(max(self, .zero), .longest) }

    /// The duration rounded up to whole seconds, and at least one second, as the header Retry-After needs it.
    var retryAfter: Duration { .seconds(max(1, clamped.secondsRoundedUp)) }

    /// The whole seconds, rounded up. The duration must be clamped.
    var secondsRoundedUp: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 ? seconds + 1 : seconds
    }

    /// The whole microseconds, rounded down. The duration must be clamped.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
