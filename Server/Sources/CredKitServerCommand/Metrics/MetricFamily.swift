// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A metric with its time series, one for each combination of labels.
struct MetricFamily: Sendable {
    /// The kind of a metric, with its name in the exposition format.
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// The values of one combination of labels.
    struct Series: Sendable {
        /// The value; of a histogram, the sum of what was observed.
        var value = 0.0
        /// The number of observations in each bucket, which are not cumulated.
        var buckets: [UInt64] = []
        /// The number of observations.
        var count: UInt64 = 0
    }

    /// The upper bounds of the buckets of a histogram of durations, in seconds.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The maximum number of series. More would come from labels with arbitrary texts, which must not exist.
    static let seriesLimit = 500

    let kind: Kind
    let help: String
    /// By the labels as they are printed.
    var series: [String: Series] = [:]

    /// Returns whether a combination of labels has a series, after adding it if there is room.
    mutating func add(_ labels: String) -> Bool {
        if series[labels] != nil { return true }
        guard series.count < Self.seriesLimit else { return false }
        series[labels] = Series(
            buckets: kind == .histogram ? [UInt64](repeating: 0, count: Self.bounds.count) : []
        )
        return true
    }

    /// Adds an observation to a histogram.
    mutating func observe(_ value: Double, _ labels: String) {
        series[labels]?.value += value
        series[labels]?.count &+= 1
        if let index = Self.bounds.firstIndex(where: { value <= $0 }) {
            series[labels]?.buckets[index] &+= 1
        }
    }
}
