// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordTableAudit {
    /// The groups, the largest first.
    public var groups: [Group] {
        // One text for each, and not for each comparison: a table can have thousands of groups.
        unsortedGroups.filter { $0.accounts > 0 }
            .map { group in (group: group, text: "\(group.scheme) \(group.parameters) \(group.step)") }
            .sorted { ($1.group.accounts, $0.text) < ($0.group.accounts, $1.text) }
            .map(\.group)
    }

    /// The number of accounts with a hash.
    public var accounts: Int { unsortedGroups.reduce(0) { $0 + $1.accounts } }

    /// Returns the number of accounts whose hashes have a next step.
    ///
    /// - Parameter step: The step.
    /// - Returns: The number.
    public func accounts(_ step: PasswordUpgradeStep) -> Int {
        unsortedGroups.reduce(0) { $0 + ($1.step == step ? $1.accounts : 0) }
    }

    /// Returns the number of accounts whose hashes an upgrade layers.
    ///
    /// - Parameter schemes: The schemes that it is limited to; `nil` for all.
    /// - Returns: The number.
    package func upgradedAccounts(only schemes: Set<PasswordHash.Scheme>?) -> Int {
        guard let schemes else { return accounts(.layer) }
        return unsortedGroups.reduce(0) { sum, group in
            sum + (schemes.contains(group.scheme) && group.canBeSelected ? group.accounts : 0)
        }
    }

    /// Returns the number of accounts without a hash.
    ///
    /// - Parameter absence: Why there is none.
    /// - Returns: The number.
    public func accounts(without absence: Absence) -> Int { absences[absence] ?? 0 }

    /// Returns the records with a problem.
    ///
    /// - Parameter problem: The problem.
    /// - Returns: The records.
    public func rows(_ problem: Problem) -> Rows { problems[problem] ?? Rows() }

    /// Adds the results of another audit, which was a copy of this one before anything was added.
    ///
    /// - Parameter other: The other audit.
    public mutating func merge(_ other: Self) {
        records += other.records
        comments += other.comments
        hashFingerprints += other.hashFingerprints
        saltFingerprints += other.saltFingerprints
        for group in other.unsortedGroups {
            var empty = group
            (empty.accounts, empty.locked) = (0, 0)
            let index = place(of: empty)
            unsortedGroups[index].accounts += group.accounts
            unsortedGroups[index].locked += group.locked
        }
        absences.merge(other.absences) { $0 + $1 }
        for (problem, rows) in other.problems { problems[problem, default: Rows()].merge(rows) }
    }

    /// Returns whether a text has the form of a digest in hexadecimal digits, which several algorithms can have made.
    package static func isBareHex(_ text: Span<UInt8>) -> Bool { BareDigits.areDigest(text) }

    /// The number of fingerprints that are kept.
    package var fingerprintCount: (hashes: Int, salts: Int) {
        (hashFingerprints.count, saltFingerprints.count)
    }

    /// Moves the fingerprints of hashes out, to be counted elsewhere. The memory is kept for more.
    package mutating func withHashFingerprints(_ body: (inout [UInt64]) throws -> Void) rethrows {
        try body(&hashFingerprints)
    }

    /// Moves the fingerprints of salts out; see ``withHashFingerprints(_:)``.
    package mutating func withSaltFingerprints(_ body: (inout [UInt64]) throws -> Void) rethrows {
        try body(&saltFingerprints)
    }
}
