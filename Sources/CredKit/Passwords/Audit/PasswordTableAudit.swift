// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a table of stored hashes holds, without any of the hashes: counts by scheme and cost, problems, and how many
/// accounts share a password or a salt.
///
/// ```swift
/// var audit = PasswordTableAudit()
/// for (row, hash) in hashes.enumerated() { audit.add(hash, row: row + 1) }
/// for group in audit.groups where group.step == .layer { print(group.scheme, group.accounts) }
/// print(audit.equalHashes.accounts, "accounts have the password of another one")
/// ```
///
/// No hash is computed. For each account 16 bytes are kept: keyed fingerprints of hash and salt, whose key is random.
/// Large tables are audited in parts, on several threads: copy an empty audit, add to each copy, and merge them.
public struct PasswordTableAudit: Sendable {
    /// The maximum number of groups. Beyond it, groups of a scheme are merged.
    public static let maximumGroupCount = 4096

    /// The policy and the limits that the hashes are assessed by.
    public let context: PasswordContext

    /// The number of records that were added: the sum of ``records(_:)`` for all classes, and of ``comments``.
    public internal(set) var records = 0
    /// The number of comments and empty lines.
    public internal(set) var comments = 0

    let key = FingerprintKey()
    var hashFingerprints: [UInt64] = []
    var saltFingerprints: [UInt64] = []

    var places: [GroupKey: Int] = [:]
    var unsortedGroups: [Group] = []
    var steps: [HashShape: Int] = [:]
    var absences: [Absence: Int] = [:]
    var problems: [Problem: Rows] = [:]
    var scratch: [UInt8] = []

    /// Creates an audit of nothing.
    ///
    /// - Parameter context: The policy and the limits; if left out, ``PasswordPolicy/recommended`` and
    ///   ``PasswordLimits/standard``.
    public init(context: PasswordContext = PasswordContext()) {
        self.context = context
    }
}

extension PasswordTableAudit {
    /// How many accounts share a value: a stored hash, and so a password; or a salt.
    public struct Sharing: Sendable, Hashable {
        /// The number of accounts whose value another account has, too.
        public private(set) var accounts = 0
        /// The number of values that several accounts have.
        public private(set) var values = 0
        /// The number of accounts with the most frequent of these values.
        public private(set) var largest = 0

        private var current: UInt64 = 0
        private var count = 0

        /// Creates a count of nothing.
        package init() {}

        /// Counts fingerprints that are sorted.
        init(sorted fingerprints: [UInt64]) {
            for fingerprint in fingerprints { add(fingerprint) }
            finish()
        }

        /// Counts a fingerprint that is not less than the one before.
        package mutating func add(_ fingerprint: UInt64) {
            if fingerprint == current && count > 0 {
                count += 1
            } else {
                finish()
                current = fingerprint
                count = 1
            }
        }

        /// Ends the count.
        package mutating func finish() {
            if count > 1 {
                accounts += count
                values += 1
                largest = max(largest, count)
            }
            // So that two counts are equal if their results are.
            (current, count) = (0, 0)
        }
    }

    /// How many accounts have the stored hash of another account, salt included: they have the same password. Among
    /// unsalted hashes that is every account whose password another one has.
    public var equalHashes: Sharing { Self.sharing(hashFingerprints) }

    /// How many accounts have the salt of another account whose hash is of the same scheme. An attacker tries a password
    /// against all of them at once.
    public var sharedSalts: Sharing { Self.sharing(saltFingerprints) }

    private static func sharing(_ fingerprints: [UInt64]) -> Sharing {
        var sorted = fingerprints
        var sorting = FingerprintSorting()
        sorting.sort(&sorted)
        return Sharing(sorted: sorted)
    }
}
