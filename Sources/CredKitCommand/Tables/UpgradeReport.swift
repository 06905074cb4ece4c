// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// What an upgrade reports at its end.
struct UpgradeReport {
    let upgrader: TableUpgrader
    let isDryRun: Bool
    /// The options of SCRAM, if that is the target.
    let scram: SCRAMUpgrade?

    func print(json: Bool) throws {
        var counts = [
            "layered": upgrader.layered, "kept": upgrader.kept, "rehash": upgrader.rehash,
            "problems": upgrader.problems,
        ]
        if scram != nil { counts["removed"] = upgrader.removed }
        if json { try CommandOutput(json: true).print(counts, text: "") }
        StandardStreams.report(summary + (isDryRun ? "; nothing was written" : ""))
        guard let scram, scram.keepsEquivalents else { return }
        StandardStreams.report(
            "--keep-equivalent leaves the password-equivalents in the table: a thief of it still logs in with them; when the "
                + "last old client is gone, run the command on the new table without --keep-equivalent"
        )
    }

    private var summary: String {
        let kept = isDryRun ? "records to keep" : "records kept"
        guard scram != nil else {
            return
                "\(upgrader.layered) \(isDryRun ? "hashes to layer" : "hashes layered"), \(upgrader.kept) \(kept), "
                + (upgrader.rehash > 0 ? "\(upgrader.rehash) to rehash at the next login, " : "")
                + "\(upgrader.problems) not verifiable"
        }
        return "\(upgrader.layered) password-equivalents \(isDryRun ? "to convert" : "converted"), "
            + (upgrader.removed > 0 ? "\(upgrader.removed) \(isDryRun ? "to remove" : "removed"), " : "")
            + "\(upgrader.kept) \(kept), "
            + (upgrader.rehash > 0 ? "\(upgrader.rehash) that only a login can convert, " : "")
            + "\(upgrader.problems) not readable"
    }
}
