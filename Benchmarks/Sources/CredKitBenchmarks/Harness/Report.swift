// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The merged results of all parts: one table and one file.
struct Report: Codable {
    struct Duration: Codable {
        let part: String
        let seconds: Double
    }

    let machine: Machine
    /// The duration of each part, without building.
    let durations: [Duration]
    let outcomes: [Outcome]
    let sizes: [SizeSeries]
    /// The parts without a result.
    let missing: [String]

    var ratios: [Ratio] { outcomes.flatMap(\.ratios) }

    /// Reads the results of the parts.
    init(_ options: Options) throws {
        machine = Machine()
        var fragments: [Fragment] = []
        var missing: [String] = []
        for part in options.parts {
            let path = options.fragmentPath(of: part)
            if FileManager.default.fileExists(atPath: path) {
                fragments.append(try JSONFile.read(Fragment.self, from: path))
            } else {
                missing.append(part.rawValue)
            }
        }
        self.missing = missing
        durations = fragments.map { Duration(part: $0.part, seconds: $0.seconds) }
        outcomes = fragments.flatMap(\.outcomes)
        sizes = fragments.flatMap(\.sizes)
        let ids = ratios.map(\.id)
        guard Set(ids).count == ids.count else {
            throw Failure(description: "two ratios have one id: \(ids.sorted())")
        }
    }

    /// Prints the table, compares with the reference and writes the file. Returns whether all claims are met.
    func conclude(_ options: Options) throws -> Bool {
        if let path = options.json { try JSONFile.write(self, to: path) }
        print(table)
        print(durationLine)
        if let path = options.reference { try compare(with: path, options) }
        for part in missing { print("MISSING: \(part) left no result.") }
        let missed = ratios.filter(\.isMissed)
        for ratio in missed { print("MISSED: \(ratio.text)") }
        let isAsClaimed = missed.isEmpty && missing.isEmpty
        if isAsClaimed {
            let unmeasured = ratios.count { $0.value == nil }
            let rest = unmeasured > 0 ? " \(unmeasured) could not be measured here." : ""
            print("All that was measured is as claimed.\(rest)")
        }
        return isAsClaimed
    }

    /// One line per ratio.
    private var table: String {
        let header = ["id", "ratio", "(quartiles)", "claimed", "", "what, beside what"]
        let cells = ratios.map { ratio in
            let reason = ratio.whyNotMeasured.map { " (\($0))" } ?? ""
            let quantity = ratio.quantity == .value ? "" : "\(ratio.quantity.rawValue) of "
            return [ratio.id] + ratio.figures + ["\(quantity)\(ratio.ours), beside \(ratio.against)\(reason)"]
        }
        let widths = header.indices.map { column in ([header] + cells).map { $0[column].count }.max() ?? 0 }
        return ([header] + cells).map { line in
            zip(line, widths).enumerated().map { column, cell in
                // The last column is not padded.
                column == widths.count - 1
                    ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }.joined(separator: "  ")
        }.joined(separator: "\n") + "\n"
    }

    private var durationLine: String {
        let parts = durations.map { String(format: "%@ %.0f s", $0.part, $0.seconds) }
        let total = durations.reduce(0) { $0 + $1.seconds }
        return String(format: "Measuring took %.0f s: %@.", total, parts.joined(separator: ", "))
    }

    private func compare(with path: String, _ options: Options) throws {
        let isThere = FileManager.default.fileExists(atPath: path)
        let reference = isThere ? try JSONFile.read(Reference.self, from: path) : nil
        if let reference {
            for line in reference.warnings(about: self, isWhole: options.parts.count == Part.allCases.count) {
                print("WARNING: \(line)")
            }
        } else {
            print("There is no reference at \(path) yet; --update-reference makes one.")
        }
        if options.updatesReference {
            try JSONFile.write(Reference(self, replacing: reference), to: path)
            print("Wrote \(path).")
        }
    }
}
