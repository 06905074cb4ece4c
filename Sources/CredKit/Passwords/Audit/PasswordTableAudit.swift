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

    /// The number of records that were added.
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
