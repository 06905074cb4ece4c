// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What ``VaultStore/repair()`` has done.
public struct VaultRepair: Sendable, Hashable, CustomStringConvertible {
    /// A way to repair a vault.
    public enum Action: Sendable, Hashable {
        /// The vault was damaged or missing, and was restored from its backup.
        case restoredBackup
        /// The backup was damaged or missing, and was replaced by a copy of the vault.
        case replacedBackup
        /// The vault was an older copy or another one, and was accepted as the newest.
        case acceptedCopy
    }

    /// What was done.
    public let action: Action
    /// The generation of the copy whose items are in use now. If it was restored or accepted, it was saved with a later
    /// generation.
    public let generation: UInt64
    /// The newest generation that is known: this account has seen it, or the damaged file states it. `nil` if none is.
    public let newestGeneration: UInt64?
    /// The number of items in the copy that is in use now.
    public let itemCount: Int
    /// The new path of the file that was replaced: a damaged one, or a backup that is newer than an accepted copy. `nil`
    /// if there was none.
    public let keptFile: String?

    /// The repair, for people.
    public var description: String {
        let items = itemCount == 1 ? "1 item" : "\(itemCount) items"
        let kept = keptFile.map { "; the replaced file is kept as \($0)" } ?? ""
        switch action {
        case .replacedBackup:
            return
                "replaced the damaged or missing backup by a copy of the vault (generation \(generation), \(items))"
                + kept
        case .acceptedCopy:
            return "accepted the vault as the newest (generation \(generation), \(items)); \(loss)\(kept)"
        case .restoredBackup:
            return "restored the backup with \(items) (generation \(generation)); \(loss)\(kept)"
        }
    }

    private var loss: String {
        guard let newestGeneration else { return "changes that were saved since are lost" }
        return switch newestGeneration.subtractingReportingOverflow(generation) {
        case (0, _): "nothing that this account has seen is lost"
        case (1, false): "the last save, generation \(newestGeneration), is lost"
        case (_, false): "what was saved since, up to generation \(newestGeneration), is lost"
        // The copy is newer than what was seen.
        case (_, true): "nothing that this account has seen is lost"
        }
    }
}
