// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordTableAudit {
    /// The class of a record. Each record that is not a comment is in exactly one: ``PasswordTableAudit/records`` is
    /// the sum over all classes and of ``PasswordTableAudit/comments``.
    public enum RecordClass: Sendable, Hashable, CaseIterable {
        /// The hash is as strong as the policy requires, or it is layered, and the layer is.
        case current
        /// The hash is weak, and can be layered now.
        case upgradable
        /// The hash is weak, and only the next login can replace it.
        case weak
        /// There is no hash: the field is empty, or names another file.
        case withoutPassword
        /// There is no hash, and the account is locked. Accounts with a hash behind a lock mark are in the class of the
        /// hash; see ``PasswordTableAudit/lockedWithHash``.
        case locked
        /// The record has a ``PasswordTableAudit/Problem``.
        case unreadable
    }

    /// Returns the number of records of a class.
    ///
    /// - Parameter recordClass: The class.
    /// - Returns: The number.
    public func records(_ recordClass: RecordClass) -> Int {
        switch recordClass {
        case .current, .upgradable, .weak:
            unsortedGroups.reduce(0) { $0 + ($1.recordClass == recordClass ? $1.accounts : 0) }
        case .withoutPassword: accounts(without: .empty) + accounts(without: .shadowed)
        case .locked: accounts(without: .locked)
        // One for each hash that is refused, too.
        case .unreadable: problems.values.reduce(0) { $0 + $1.count }
        }
    }

    /// The number of accounts with a hash behind a lock mark. They are also counted in the class of their hash.
    public var lockedWithHash: Int {
        unsortedGroups.reduce(0) { $0 + ($1.recordClass == .unreadable ? 0 : $1.locked) }
    }
}
