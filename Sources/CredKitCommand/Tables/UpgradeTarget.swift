// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// What an upgrade makes of the stored hashes of a table.
protocol UpgradeTarget: Sendable {
    /// The limits of stored hashes.
    var limits: PasswordLimits { get }

    /// The number of replacements in a batch, per worker.
    var batchSize: Int { get }

    /// The maximum number of replacements that are best computed by one call of ``make(_:)``.
    var groupSize: Int { get }

    /// What a report says of a record that only the next login can replace.
    var rehashNote: String { get }

    /// The kind and the cost of the new hashes, in one word or a few.
    var summary: String { get }

    /// Returns what is to be done with the content of a hash field, without computing a hash.
    ///
    /// - Parameters:
    ///   - content: The content, without the mark of a locked account.
    ///   - read: Reads it as a hash, of the declared type if it is bare.
    /// - Returns: The step.
    /// - Throws: What `read` throws.
    func step(for content: [UInt8], read: () throws -> PasswordHash) throws -> UpgradeStep

    /// Returns the new contents of replacements, in their order.
    func make(_ group: [any HashReplacement]) -> [Result<[UInt8], any Error>]
}

extension UpgradeTarget {
    var groupSize: Int { 1 }

    func make(_ group: [any HashReplacement]) -> [Result<[UInt8], any Error>] {
        group.map { replacement in Result { try replacement.make() } }
    }
}

/// What is to be done with the content of a hash field.
enum UpgradeStep {
    /// Replace it.
    case replace(any HashReplacement)
    /// Leave it.
    case keep(KeptReason)
    /// Leave it although it is weak: only the next login can replace it.
    case rehash(UpgradeRemark)
    /// Leave it: it cannot be verified.
    case problem(UpgradeRemark)
}

/// Why a record stays as it is, and has nothing to be reported.
enum KeptReason: Sendable {
    /// The hash is safe enough already.
    case current
    /// The hash is of a scheme that was not asked for.
    case notSelected
    /// There is no hash: the field is empty, or names another file.
    case withoutPassword
    /// There is no hash, and the account is locked.
    case locked
    /// It is a comment, an empty line or the header.
    case comment
}

/// Why a record is reported.
struct UpgradeRemark: Sendable {
    /// What such records have in common: the scheme of a hash that stays weak, or the kind of a problem.
    let kind: String
    let reason: String
}

extension UpgradeRemark {
    /// The kinds of problems, as `credkit audit` calls them.
    static let ambiguous = "ambiguous", incomplete = "incomplete", overLimit = "over-limit"

    init(_ error: PasswordError) {
        self.init(kind: error.code == .overLimit ? Self.overLimit : "\(error.code)", reason: "\(error)")
    }
}

/// A new content for a hash field, which takes long to compute.
protocol HashReplacement: Sendable {
    /// Whether a part of the old content is removed, and nothing is computed.
    var isRemoval: Bool { get }

    /// The hash that is layered; `nil` for other replacements.
    var layeredHash: PasswordHash? { get }

    /// Returns the new content.
    func make() throws -> [UInt8]

    /// Returns whether an earlier run may have made a content, as far as this can be determined without computing it again.
    func mightHaveMade(_ content: [UInt8]) -> Bool
}

extension HashReplacement {
    var isRemoval: Bool { false }
    var layeredHash: PasswordHash? { nil }
}
