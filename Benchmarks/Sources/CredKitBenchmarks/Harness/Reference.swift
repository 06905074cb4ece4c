// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The ratios of an earlier run, which later ones are compared with.
struct Reference: Codable {
    /// A ratio as it was.
    struct Entry: Codable {
        let median: Double
        let lowerQuartile: Double
        let upperQuartile: Double
        let isUpward: Bool
        let unit: Ratio.Unit
        let quantity: Ratio.Quantity
        let goal: Goal?
        let ours: String
        let against: String
    }

    /// What a ratio may be worse by before that is told.
    static let tolerance = 0.15

    /// What the figures were made on.
    let machine: Machine
    let ratios: [String: Entry]

    /// Takes a report's ratios; those that it does not have stay as they were.
    init(_ report: Report, replacing earlier: Reference?) {
        machine = report.machine
        var ratios = earlier?.ratios ?? [:]
        // Where everything was measured, nothing is left of what is measured no more.
        if report.durations.count == Part.allCases.count {
            let ids = Set(report.ratios.map(\.id))
            ratios = ratios.filter { ids.contains($0.key) }
        }
        for ratio in report.ratios {
            guard let value = ratio.value else { continue }
            ratios[ratio.id] = Entry(
                median: value.median,
                lowerQuartile: value.lowerQuartile,
                upperQuartile: value.upperQuartile,
                isUpward: ratio.isUpward,
                unit: ratio.unit,
                quantity: ratio.quantity,
                goal: ratio.goal,
                ours: ratio.ours,
                against: ratio.against
            )
        }
        self.ratios = ratios
    }

    /// What is worse than it was, by more than the tolerance, and what cannot be compared.
    func warnings(about report: Report, isWhole: Bool) -> [String] {
        var lines: [String] = []
        if machine.processor != report.machine.processor {
            lines.append("the reference was made on another processor: \(machine.processor)")
        }
        for ratio in report.ratios where ratio.unit.isComparable {
            guard let value = ratio.value else { continue }
            guard let entry = ratios[ratio.id] else {
                lines.append("\(ratio.id) is not in the reference")
                continue
            }
            let isWorse =
                ratio.isUpward
                ? value.median < entry.median * (1 - Self.tolerance)
                : value.median > entry.median * (1 + Self.tolerance)
            guard isWorse else { continue }
            let fraction = entry.median == 0 ? "" : " (\(Self.percent(value.median / entry.median - 1)) %)"
            lines.append(
                "\(ratio.id) is worse than the reference\(fraction): "
                    + "\(Self.rounded(value.median)) \(ratio.unit.rawValue) instead of "
                    + "\(Self.rounded(entry.median)), where \(ratio.isUpward ? "more" : "less") is better"
            )
        }
        if isWhole {
            let measured = Set(report.ratios.map(\.id))
            for id in ratios.keys.sorted() where !measured.contains(id) {
                lines.append("\(id) is in the reference and was not measured")
            }
        }
        return lines
    }

    private static func percent(_ fraction: Double) -> String {
        (fraction > 0 ? "+" : "") + "\(Int((fraction * 100).rounded()))"
    }

    private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}
