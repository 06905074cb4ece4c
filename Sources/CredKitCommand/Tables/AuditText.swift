// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// An audit for people.
struct AuditText {
    let findings: TableFindings
    let estimate: UpgradeEstimate

    /// All lines, without the last line feed.
    var lines: String {
        (counts + [""] + table + [""] + problems + sharing + [upgrade]).joined(separator: "\n")
    }

    private var counts: [String] {
        let audit = findings.audit
        let absent = PasswordTableAudit.Absence.allCases.map { ($0, audit.accounts(without: $0)) }
            .filter { $0.1 > 0 }.map { "\($0) \($1)" }
        var rows = [("records", "\(audit.records)"), ("accounts", "\(audit.accounts)")]
        if audit.lockedWithHash > 0 { rows.append(("locked", "\(audit.lockedWithHash) of these accounts")) }
        rows.append(("without-hash", absent.isEmpty ? "0" : absent.joined(separator: ", ")))
        rows.append(("comments", "\(audit.comments)"))
        return Self.aligned(rows)
    }

    /// The groups in columns.
    private var table: [String] {
        let groups = findings.audit.groups
        guard !groups.isEmpty else { return ["no hashes"] }
        let rows =
            [["accounts", "scheme", "policy", "upgrade", "cost"]]
            + groups.map { group in
                let listing = AuditListing.Group(group)
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
                    Self.name(of: problem),
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

    private static func name(of problem: PasswordTableAudit.Problem) -> String {
        problem == .overLimit ? "over-limit" : "\(problem)"
    }

    private static func aligned(_ rows: [(String, String)]) -> [String] {
        rows.map { name, value in
            "\(name):" + String(repeating: " ", count: max(1, 14 - name.count)) + value
        }
    }
}
