// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What ``VaultStore/repair()`` has done.
public struct VaultRepair: Sendable, Hashable, CustomStringConvertible {
    /// A way to repair a vault.
    public enum Action: Sendable, Hashable {
        /// The vault was damaged or missing, and was restored from its backup.
        case restoredBackup
        /// The backup was damaged, and was replaced by a copy of the vault.
        case replacedBackup
        /// The vault was an older copy or another one, and was accepted as the newest.
        case acceptedOlderCopy
    }

    /// What was done.
    public let action: Action
    /// The generation of the copy that is in use now.
    public let generation: UInt64
    /// The newest generation that is known: this account has seen it, or the damaged file states it. `nil` if none is.
    public let newestGeneration: UInt64?
    /// The number of items in the copy that is in use now.
    public let itemCount: Int
    /// The path of the damaged file, which is kept under another name.
    public let damagedFile: String?

    /// The repair, for people.
    public var description: String {
        let items = itemCount == 1 ? "1 item" : "\(itemCount) items"
        let kept = damagedFile.map { "; the damaged file is kept as \($0)" } ?? ""
        switch action {
        case .replacedBackup:
            return
                "replaced the damaged backup by a copy of the vault (generation \(generation), \(items))\(kept)"
        case .acceptedOlderCopy:
            return "saved the older copy as the newest (generation \(generation), \(items)); \(loss)"
        case .restoredBackup:
            return "restored the backup with \(items) (generation \(generation)); \(loss)\(kept)"
        }
    }

    private var loss: String {
        guard let newestGeneration else { return "changes that were saved since are lost" }
        return switch newestGeneration.subtractingReportingOverflow(generation) {
        case (0, _): "nothing is lost"
        case (1, false): "the last save, generation \(newestGeneration), is lost"
        case (let count, false): "the last \(count) saves, up to generation \(newestGeneration), are lost"
        // The backup is newer than what was seen.
        case (_, true): "nothing is lost"
        }
    }
}
