// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The median of some numbers and their spread.
struct Spread: Codable {
    let minimum: Double
    /// The lower quartile.
    let lowerQuartile: Double
    let median: Double
    /// The upper quartile.
    let upperQuartile: Double
    let maximum: Double
    /// The count of the numbers.
    let count: Int

    init(_ values: [Double]) {
        let sorted = values.sorted()
        /// The interpolated quantile at a fraction between the smallest and the largest number.
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
