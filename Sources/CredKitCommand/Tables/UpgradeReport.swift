// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// What an upgrade reports at its end.
struct UpgradeReport {
    let counts: UpgradeCounts
    /// The options of SCRAM, if that is the target.
    let scram: SCRAMUpgrade?
    /// For a file, the records that span lines.
    var spannedLines: SpannedLines?
    /// For a database, the rows that a login changed meanwhile.
    var changedMeanwhile: Int?

    func print(json: Bool) throws {
        var keys = counts.keys
        if scram != nil { keys["removed"] = counts.removed }
        keys["changed"] = changedMeanwhile
        if let spannedLines, spannedLines.records > 0 {
            keys["multiline"] = spannedLines.records
            keys["hiddenLines"] = spannedLines.hiddenRecords
        }
        if json { try CommandOutput(json: true).print(keys, text: "") }
        let changed = changedMeanwhile.map { $0 > 0 ? ", \($0) changed meanwhile" : "" } ?? ""
        StandardStreams.report(summary + changed)
        guard let scram, scram.keepsEquivalents else { return }
        StandardStreams.report(
            "--keep-equivalent leaves the password-equivalents in the table: a thief of it still logs in with them; when the "
                + "last old client is gone, run the command on the new table without --keep-equivalent"
        )
    }

    private var summary: String {
        guard scram != nil else {
            let notSelected = counts.notSelected > 0 ? " (\(counts.notSelected) outside of --only)" : ""
            return "\(counts.layered) hashes layered, \(counts.kept) records kept\(notSelected), "
                + (counts.rehash > 0 ? "\(counts.rehash) to rehash at the next login, " : "")
                + "\(counts.problems) not verifiable"
        }
        return "\(counts.layered) password-equivalents converted, "
            + (counts.removed > 0 ? "\(counts.removed) removed, " : "")
            + "\(counts.kept) records kept, "
            + (counts.rehash > 0 ? "\(counts.rehash) that only a login can convert, " : "")
            + "\(counts.problems) not readable"
    }
}
