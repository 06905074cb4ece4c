// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// What an upgrade takes of an audited table: all weak hashes, or those of the schemes that `--only` names.
struct AuditSelection {
    let audit: PasswordTableAudit
    /// The schemes; `nil` for all.
    let schemes: Set<PasswordHash.Scheme>?

    /// The number of records with hashes of other schemes. Those that cannot be verified have that class.
    var notSelected: Int { count { !isSelected($0) && $0.recordClass != .unreadable } }

    /// The number of hashes to layer that other programs read.
    var incompatible: Int {
        count { step(of: $0) == .layer && LayeredHashReaders.areOfOthers($0.scheme, $0.parameters) }
    }

    /// Who reads the hashes to layer once they are layered.
    var readers: LayeredHashReaders {
        audit.groups.filter { step(of: $0) == .layer }.reduce(into: LayeredHashReaders()) { readers, group in
            readers.add(group.scheme, group.parameters)
        }
    }

    /// Returns the number of records of a class, and with a hash only those of the schemes.
    func records(_ recordClass: PasswordTableAudit.RecordClass) -> Int {
        switch recordClass {
        case .current, .upgradable, .weak: count { isSelected($0) && self.recordClass(of: $0) == recordClass }
        case .withoutPassword, .locked, .unreadable: audit.records(recordClass)
        }
    }

    /// Returns what happens next to the hashes of a group.
    func step(of group: PasswordTableAudit.Group) -> PasswordUpgradeStep {
        guard schemes != nil, group.step != .refuse else { return group.step }
        guard isSelected(group) else { return .keep }
        return group.canBeSelected ? .layer : group.step
    }

    /// A selected hash can be strong, and is layered nevertheless.
    private func recordClass(of group: PasswordTableAudit.Group) -> PasswordTableAudit.RecordClass {
        schemes != nil && group.canBeSelected ? .upgradable : group.recordClass
    }

    private func isSelected(_ group: PasswordTableAudit.Group) -> Bool {
        schemes?.contains(group.scheme) ?? true
    }

    private func count(_ isCounted: (PasswordTableAudit.Group) -> Bool) -> Int {
        audit.groups.reduce(0) { $0 + (isCounted($1) ? $1.accounts : 0) }
    }
}
