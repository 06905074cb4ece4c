// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Creates a duration from a number of seconds that may be outside the range of the type. A number that is too
    /// large, and one that is no number, becomes the largest number of seconds; a negative number becomes 0.
    init(clampingSeconds seconds: Double) {
        self = seconds < 1e18 ? .seconds(max(0, seconds)) : .seconds(Int64.max)
    }
}
