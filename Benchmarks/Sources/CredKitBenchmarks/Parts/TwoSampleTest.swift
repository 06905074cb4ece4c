// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The Kolmogorov-Smirnov test: whether two samples have the same distribution.
struct TwoSampleTest {
    /// The largest difference of the two cumulative distributions, from 0 to 1.
    let distance: Double
    /// The probability that samples of one distribution differ at least this much.
    let pValue: Double

    init(_ left: [Double], _ right: [Double]) {
        let all = (left.map { ($0, true) } + right.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var (seenLeft, seenRight) = (0.0, 0.0)
        var distance = 0.0
        for (index, (value, isLeft)) in all.enumerated() {
            if isLeft { seenLeft += 1 } else { seenRight += 1 }
            // For equal values, compare only after the last one.
            if index + 1 < all.count && all[index + 1].0 == value { continue }
            distance = max(distance, abs(seenLeft / Double(left.count) - seenRight / Double(right.count)))
        }
        self.distance = distance
        let size = Double(left.count * right.count) / Double(left.count + right.count)
        let scaled = (size.squareRoot() + 0.12 + 0.11 / size.squareRoot()) * distance
        let sum = (1...100).reduce(0.0) { sum, term in
            let power = Double(term * term)
            return sum + (term.isMultiple(of: 2) ? -2 : 2) * exp(-2 * power * scaled * scaled)
        }
        pValue = scaled < 0.2 ? 1 : min(1, max(0, sum))
    }
}
