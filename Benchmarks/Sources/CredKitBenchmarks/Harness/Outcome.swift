// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a comparison.
struct Outcome: Codable {
    /// One contender.
    struct Row: Codable {
        let name: String
        let seconds: Spread
        /// 0 if unknown.
        let peakKiB: Int
        /// The bytes processed in that time; 0 if that is meaningless.
        let byteCount: Int

        init(_ contender: Contender, _ samples: [Sample]) {
            name = contender.name
            seconds = Spread(samples.map(\.seconds))
            peakKiB = samples.map(\.peakKiB).max() ?? 0
            byteCount = contender.byteCount
        }

        init(name: String, seconds: [Double]) {
            self.name = name
            self.seconds = Spread(seconds)
            peakKiB = 0
            byteCount = 0
        }
    }

    let id: String
    let title: String
    var rows: [Row] = []
    var ratios: [Ratio] = []
}

extension Outcome {
    /// The complete outcome as readable text.
    var text: String {
        ([title] + rows.map(\.text) + ratios.map { "  " + $0.text }).joined(separator: "\n") + "\n"
    }
}

extension Outcome.Row {
    /// The median of the times with its quartiles, and derived rates.
    var text: String {
        let (scale, unit) =
            switch seconds.median {
            case 1...: (1.0, "s")
            case 1e-3...: (1e3, "ms")
            case 1e-6...: (1e6, "µs")
            default: (1e9, "ns")
            }
        let times = [seconds.median, seconds.lowerQuartile, seconds.upperQuartile].map { $0 * scale }
        var text = String(format: "  %8.2f %@ (%.2f … %.2f)", times[0], unit, times[1], times[2])
        if seconds.median > 0 {
            text +=
                byteCount > 0
                ? String(format: ", %.2f GB/s", Double(byteCount) / seconds.median / 1e9)
                : String(format: ", %.4g a second", 1 / seconds.median)
        }
        if peakKiB > 0 { text += String(format: ", %.1f MiB at most", Double(peakKiB) / 1024) }
        return text + "  " + name
    }
}

extension Ratio {
    /// The number, its quartiles, the goal, and whether it was met: `1.02 × (1.00 … 1.04) ≥ 0.95 met`.
    var figures: [String] {
        let suffix = unit == .times ? " ×" : " \(unit.rawValue)"
        func shown(_ number: Double) -> String {
            if unit != .times { return String(format: "%.6g", (number * 10).rounded() / 10) }
            return String(format: number < 9.995 ? "%.2f" : number < 99.95 ? "%.1f" : "%.0f", number)
        }
        let claimed = goal.map { "\($0.direction.symbol) \(shown($0.bound))" } ?? "-"
        guard let value else { return ["-", "", claimed, "not measured here"] }
        return [
            shown(value.median) + suffix,
            value.count > 1 ? "(\(shown(value.lowerQuartile)) … \(shown(value.upperQuartile)))" : "",
            claimed, goal == nil ? "" : isMissed ? "MISSED" : "met",
        ]
    }

    var text: String {
        let reason = whyNotMeasured.map { ": \($0)" } ?? ""
        return "\(id): \(figures.filter { !$0.isEmpty }.joined(separator: " "))\(reason), "
            + (quantity == .value ? "" : "\(quantity.rawValue) of ") + "\(ours) beside \(against)"
    }
}
