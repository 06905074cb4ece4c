// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// The output form of an audit.
struct AuditListing: Encodable {
    struct Group: Encodable {
        let scheme: String
        let parameters: [String: NumberOrText]
        let accounts: Int
        let locked: Int
        let peppered: Bool
        let policy: String
        let upgrade: String
        let weakness: String?
        /// The parameters as text, in their own order.
        let cost: String

        private enum CodingKeys: CodingKey {
            case scheme, parameters, accounts, locked, peppered, policy, upgrade, weakness
        }

        init(_ group: PasswordTableAudit.Group, _ selection: AuditSelection) {
            scheme = SchemeArgument.name(of: group)
            parameters = SchemeCosts.json(group.parameters)
            accounts = group.accounts
            locked = group.locked
            peppered = group.isPeppered
            policy = "\(group.status)"
            upgrade = "\(selection.step(of: group))"
            weakness = group.weakness
            cost =
                (group.parameters.map { "\(SchemeCosts.word($0.name))=\(SchemeCosts.value($0))" }
                + (peppered ? ["pepper"] : [])).joined(separator: " ")
        }
    }

    struct Sharing: Encodable {
        let accounts: Int
        let values: Int
        let largest: Int

        init(_ sharing: PasswordTableAudit.Sharing) {
            accounts = sharing.accounts
            values = sharing.values
            largest = sharing.largest
        }
    }

    struct Upgrade: Encodable {
        let hashes: Int
        let seconds: Double
        let memoryKiB: Int
        let workers: Int
        /// The hashes that other programs read; `nil` if none is layered.
        let incompatible: Int?

        init(_ estimate: UpgradeEstimate, incompatible: Int? = nil) {
            hashes = estimate.hashes
            seconds = (estimate.seconds * 100).rounded() / 100
            memoryKiB = estimate.memoryKiB
            workers = estimate.workers
            self.incompatible = incompatible
        }
    }

    let records: Int
    let comments: Int
    let accounts: Int
    let groups: [Group]
    let current: Int
    let upgradable: Int
    let weak: Int
    let withoutPassword: Int
    let locked: Int
    let unreadable: Int
    let notSelected: Int
    let lockedWithHash: Int
    let empty: Int
    let shadowed: Int
    let malformed: Int
    let malformedRows: [NumberOrText]
    let unrecognized: Int
    let unrecognizedRows: [NumberOrText]
    let ambiguous: Int
    let ambiguousRows: [NumberOrText]
    let unsupported: Int
    let unsupportedRows: [NumberOrText]
    let overLimit: Int
    let overLimitRows: [NumberOrText]
    let refused: Int
    let refusedRows: [NumberOrText]
    let incomplete: Int
    let incompleteRows: [NumberOrText]
    let multiline: Int
    let hiddenLines: Int
    let equalHashes: Sharing
    let sharedSalts: Sharing
    let upgrade: Upgrade

    init(_ findings: TableFindings, _ estimate: UpgradeEstimate, _ selection: AuditSelection) {
        let audit = findings.audit
        records = audit.records
        comments = audit.comments
        accounts = audit.accounts
        groups = audit.groups.map { Group($0, selection) }
        current = selection.records(.current)
        upgradable = selection.records(.upgradable)
        weak = selection.records(.weak)
        withoutPassword = audit.records(.withoutPassword)
        locked = audit.records(.locked)
        unreadable = audit.records(.unreadable)
        notSelected = selection.notSelected
        lockedWithHash = audit.lockedWithHash
        empty = audit.accounts(without: .empty)
        shadowed = audit.accounts(without: .shadowed)
        (malformed, malformedRows) = Self.rows(findings, .malformed)
        (unrecognized, unrecognizedRows) = Self.rows(findings, .unrecognized)
        (ambiguous, ambiguousRows) = Self.rows(findings, .ambiguous)
        (unsupported, unsupportedRows) = Self.rows(findings, .unsupported)
        (overLimit, overLimitRows) = Self.rows(findings, .overLimit)
        (refused, refusedRows) = Self.rows(findings, .refused)
        (incomplete, incompleteRows) = Self.rows(findings, .incomplete)
        multiline = findings.spannedLines.records
        hiddenLines = findings.spannedLines.hiddenRecords
        equalHashes = Sharing(findings.equalHashes)
        sharedSalts = Sharing(findings.sharedSalts)
        upgrade = Upgrade(estimate, incompatible: selection.incompatible)
    }

    /// Returns how many records have a problem, and what the first of them are called.
    private static func rows(
        _ findings: TableFindings,
        _ problem: PasswordTableAudit.Problem
    ) -> (Int, [NumberOrText]) {
        let rows = findings.audit.rows(problem)
        let names = rows.first.map { number in
            findings.identifiers.map { NumberOrText.text(String(decoding: $0[number] ?? [], as: UTF8.self)) }
                ?? NumberOrText.number(number)
        }
        return (rows.count, names)
    }
}
