// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordTableAudit {
    /// Accounts whose hashes have the same scheme and cost.
    public struct Group: Sendable, Hashable {
        /// The scheme.
        public let scheme: PasswordHash.Scheme
        /// The costs and variants that the hashes state. Empty for hashes that differ in them, if the table has more
        /// kinds than ``PasswordTableAudit/maximumGroupCount``.
        public let parameters: [PasswordHash.Parameter]
        /// Whether the hashes have a salt.
        public let isSalted: Bool
        /// Whether the hashes have a pepper.
        public let isPeppered: Bool
        /// How the policy rates the hashes.
        public let status: PasswordHashStatus
        /// What happens next to the hashes.
        public let step: PasswordUpgradeStep
        /// The class of the records.
        public let recordClass: RecordClass
        /// Whether the hashes are layered by an upgrade that is limited to their scheme, which layers strong ones, too.
        package let canBeSelected: Bool
        /// The weakness of the scheme at any cost, as a sentence for people.
        public let weakness: String?
        /// The number of accounts.
        public internal(set) var accounts = 0
        /// How many of these accounts are locked by a mark before the hash.
        public internal(set) var locked = 0
    }

    /// Why an account has no hash. No password matches such an account.
    public enum Absence: Sendable, Hashable, CaseIterable {
        /// The field is empty. In passwd and shadow files this means that no password is asked for.
        case empty
        /// The field is `x`: the hash is in another file.
        case shadowed
        /// The field is a mark such as `!` or `*`, alone or with a short note, or another text that a system stores in
        /// place of a hash, such as `NP`.
        case locked
    }

    /// Why a record cannot be verified.
    public enum Problem: Sendable, Hashable, CaseIterable {
        /// The text begins like a hash of a known scheme, but is malformed.
        case malformed
        /// The text is not a hash of any known scheme. So is a text behind a lock mark that may contain a hash, and a
        /// hash behind a text that is not a known lock mark.
        case unrecognized
        /// The text is hexadecimal digits, which do not name the algorithm that made them; or it is `*` and 40 uppercase
        /// digits, in a table whose bare digests have 40: a hash of MySQL, or a locked account's digest.
        case ambiguous
        /// The hash is well-formed, but hashes of its kind cannot be verified.
        case unsupported
        /// The text is too long, or verifying the hash takes more memory or time than ``PasswordLimits`` allow.
        case overLimit
        /// The policy refuses the scheme of the hash.
        case refused
        /// The record has no field for the hash or for its salt, or only a part of them: a separator within the hash cut
        /// it off, the salt is NULL, or a quote is not closed.
        case incomplete
    }

    /// The records with a problem: how many, and the first of them.
    public struct Rows: Sendable, Hashable {
        /// The maximum number of records that are named.
        public static let maximumListCount = 20

        /// The number of records.
        public private(set) var count = 0
        /// The numbers of the first records, in ascending order.
        public private(set) var first: [Int] = []

        mutating func add(_ row: Int) {
            count += 1
            insert(row)
        }

        mutating func merge(_ other: Self) {
            count += other.count
            for row in other.first { insert(row) }
        }

        private mutating func insert(_ row: Int) {
            if first.count == Self.maximumListCount {
                guard let last = first.last, row < last else { return }
                first.removeLast()
            }
            first.insert(row, at: first.firstIndex { $0 > row } ?? first.endIndex)
        }
    }
}
