// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The middle of some numbers and how far they lie apart.
struct Spread: Codable {
    let minimum: Double
    /// A quarter of the numbers is less.
    let lowerQuartile: Double
    let median: Double
    /// A quarter of the numbers is more.
    let upperQuartile: Double
    let maximum: Double
    /// How many numbers there were.
    let count: Int

    init(_ values: [Double]) {
        let sorted = values.sorted()
        /// The number at a fraction of the way from the least to the largest, between two of them if need be.
        func quantile(_ fraction: Double) -> Double {
            guard let last = sorted.last else { return 0 }
            let place = fraction * Double(sorted.count - 1)
            let index = Int(place)
            guard index + 1 < sorted.count else { return last }
            return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
        }
        minimum = quantile(0)
        lowerQuartile = quantile(0.25)
        median = quantile(0.5)
        upperQuartile = quantile(0.75)
        maximum = quantile(1)
        count = sorted.count
    }
}
