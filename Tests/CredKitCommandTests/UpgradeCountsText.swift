// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What `credkit upgrade --json` prints.
enum UpgradeCountsText {
    private static let kept = ["current", "notSelected", "withoutPassword", "locked", "comments"]

    /// Returns the object with these counts; those that are always there are 0 by default, and `kept` is the sum of its
    /// parts.
    static func json(_ counts: [String: Int]) -> String {
        var all = counts
        for key in kept + ["layered", "rehash", "problems", "lockedWithHash"] {
            all[key] = all[key] ?? 0
        }
        all["kept"] = kept.reduce(0) { $0 + (all[$1] ?? 0) }
        let members = all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return "{\(members.joined(separator: ","))}"
    }
}
