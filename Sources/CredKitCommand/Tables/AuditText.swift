// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// An audit for people.
struct AuditText {
    let findings: TableFindings
    let estimate: UpgradeEstimate
    let selection: AuditSelection

    /// All lines, without the last line feed.
    var lines: String {
        (counts + [""] + table + [""] + problems + sharing + [upgrade] + incompatible).joined(separator: "\n")
    }

    /// The records by class: each is of exactly one, so that they add up.
    private var counts: [String] {
        let audit = findings.audit
        return Self.counts(
            audit.records,
            PasswordTableAudit.RecordClass.allCases.map { ("\($0)", selection.records($0)) }
                + (selection.schemes == nil ? [] : [("notSelected", selection.notSelected)]),
            withoutPassword: absences,
            comments: audit.comments,
            lockedWithHash: audit.lockedWithHash
        )
    }

    /// Returns the lines with the numbers of records by class.
    ///
    /// - Parameters:
    ///   - records: The number of all records.
    ///   - classes: The classes by their keys in JSON.
    ///   - reasons: Why accounts have no password.
    ///   - comments: The number of comments.
    ///   - lockedWithHash: The number of hashes behind a lock mark, which have a class as well.
    /// - Returns: The lines.
    static func counts(
        _ records: Int,
        _ classes: [(String, Int)],
        withoutPassword reasons: String = "",
        comments: Int,
        lockedWithHash: Int
    ) -> [String] {
        var rows = [("records", "\(records)")]
        for (key, count) in classes {
            let note =
                switch key {
                case "withoutPassword": reasons
                case "weak" where count > 0: " (only the next login replaces them)"
                default: ""
                }
            rows.append(("  \(word(key))", "\(count)\(note)"))
        }
        rows.append(("  comments", "\(comments)"))
        rows.append(("locked-with-hash", "\(lockedWithHash)"))
        return aligned(rows, width: 20)
    }

    /// Why accounts have no password.
    private var absences: String {
        let counts = [PasswordTableAudit.Absence.empty, .shadowed].compactMap { absence -> String? in
            let count = findings.audit.accounts(without: absence)
            return count > 0 ? "\(absence) \(count)" : nil
        }
        return counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))"
    }

    /// The groups in columns.
    private var table: [String] {
        let groups = findings.audit.groups
        guard !groups.isEmpty else { return ["no hashes"] }
        let rows =
            [["accounts", "scheme", "policy", "upgrade", "cost"]]
            + groups.map { group in
                let listing = AuditListing.Group(group, selection)
                return ["\(listing.accounts)", listing.scheme, listing.policy, listing.upgrade, listing.cost]
            }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? space + row[column] : row[column] + space
            }
            let line = cells.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.endIndex)])
        }
    }

    private var problems: [String] {
        let found = PasswordTableAudit.Problem.allCases.map { ($0, findings.audit.rows($0)) }
            .filter { $0.1.count > 0 }
        let place = findings.identifiers == nil ? "in records" : "with id"
        return Self.aligned(
            found.map { problem, rows in
                let list = rows.first.map(name(ofRow:)).joined(separator: ", ")
                let advice = problem == .ambiguous ? "; declare their scheme with --as" : ""
                return (
                    Self.word("\(problem)"),
                    "\(rows.count), \(place) \(list)\(rows.count > rows.first.count ? " …" : "")\(advice)"
                )
            }
        )
    }

    private func name(ofRow number: Int) -> String {
        findings.identifiers.map { StoredRow.shown(id: $0[number] ?? []) } ?? "\(number)"
    }

    private var sharing: [String] {
        Self.aligned([
            ("equal-hashes", Self.text(findings.equalHashes, "hashes")),
            ("shared-salts", Self.text(findings.sharedSalts, "salts")),
        ])
    }

    private static func text(_ sharing: PasswordTableAudit.Sharing, _ values: String) -> String {
        guard sharing.accounts > 0 else { return "none" }
        return
            "\(sharing.accounts) accounts share \(sharing.values) \(values), up to \(sharing.largest) accounts each"
    }

    private var upgrade: String {
        guard estimate.hashes > 0 else { return "upgrade:       no hash can be layered now" }
        return
            "upgrade:       \(estimate.hashes) hashes to layer, about \(estimate.time) with \(estimate.workers) workers and "
            + "\(MemorySizeArgument(kibibytes: estimate.memoryKiB))"
    }

    /// What an upgrade asks before it layers hashes that other programs read.
    private var incompatible: [String] {
        guard selection.incompatible > 0 else { return [] }
        return [
            "incompatible:  \(selection.incompatible) of these hashes are of schemes that other programs read"
        ] + selection.readers.messages + [
            "in lines user:hash and in databases, 'credkit upgrade' needs --allow-incompatible"
        ]
    }

    /// A key of JSON as a word of the text: `overLimit` is `over-limit`.
    private static func word(_ key: String) -> String {
        key.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }

    private static func aligned(_ rows: [(String, String)], width: Int = 15) -> [String] {
        rows.map { name, value in
            "\(name):" + String(repeating: " ", count: max(1, width - 1 - name.count)) + value
        }
    }
}
