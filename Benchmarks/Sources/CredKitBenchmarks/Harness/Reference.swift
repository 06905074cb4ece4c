// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The ratios of an earlier run, with which later runs are compared.
struct Reference: Codable {
    /// A stored ratio.
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
        /// The day of the measurement, year first.
        let date: String
    }

    /// The relative loss above which a ratio is reported as worse.
    static let tolerance = 0.15

    /// The machine that the figures were measured on.
    let machine: Machine
    let ratios: [String: Entry]

    /// Takes over a report's ratios; keeps those that the report does not contain.
    init(_ report: Report, replacing earlier: Reference?) {
        machine = report.machine
        var ratios = earlier?.ratios ?? [:]
        // After a complete run, ratios that no longer exist are dropped.
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
                against: ratio.against,
                date: report.machine.date
            )
        }
        self.ratios = ratios
    }

    /// Lists ratios that are worse than the reference by more than the tolerance, and those that cannot be compared.
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
