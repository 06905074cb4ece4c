// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The output form of an audit of password-equivalents. The classes of records are those of ``AuditListing``.
struct EquivalentListing: Encodable {
    let records: Int
    let current: Int
    let upgradable: Int
    let weak: Int
    let withoutPassword: Int
    let locked: Int
    let unreadable: Int
    let comments: Int
    let lockedWithHash: Int
    let upgrade: AuditListing.Upgrade

    init(_ counts: UpgradeCounts, _ estimate: UpgradeEstimate) {
        records = counts.total
        current = counts.current
        upgradable = counts.layered + counts.removed
        weak = counts.rehash
        withoutPassword = counts.withoutPassword
        locked = counts.locked
        unreadable = counts.problems
        comments = counts.comments
        lockedWithHash = counts.lockedWithHash
        upgrade = AuditListing.Upgrade(estimate)
    }

    /// The audit for people, without the last line feed.
    func text(_ estimate: UpgradeEstimate) -> String {
        let classes = [
            ("current", current), ("upgradable", upgradable), ("weak", weak),
            ("withoutPassword", withoutPassword), ("locked", locked), ("unreadable", unreadable),
        ]
        let rows = AuditText.counts(records, classes, comments: comments, lockedWithHash: lockedWithHash)
        let end =
            estimate.hashes == 0
            ? "no password-equivalent to convert"
            : "\(estimate.hashes) password-equivalents to convert, about \(estimate.time) with \(estimate.workers) workers"
        return (rows + ["", "upgrade:       \(end)"]).joined(separator: "\n")
    }
}
