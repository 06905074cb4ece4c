// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Adds stored hashes to an audit, with the salts that stand beside or behind them. ``HashUpgrader`` reads them alike.
struct AuditedHash: Sendable {
    private let bareHashes: BareHashOptions
    private let hasSaltColumn: Bool
    /// The declared algorithm of bare hashes, if it is the same for all.
    let algorithm: PasswordHash.LegacyHexAlgorithm?

    init(_ bareHashes: BareHashOptions, hasSaltColumn: Bool) throws {
        self.bareHashes = bareHashes
        self.hasSaltColumn = hasSaltColumn
        let isConstant = !hasSaltColumn && !bareHashes.requiresSaltInHash
        algorithm = isConstant ? try bareHashes.algorithm() : nil
    }

    /// Whether a hash is read without its salt, if it has one.
    var needsNoSalt: Bool { !hasSaltColumn && !bareHashes.hasSaltInHash }

    /// Adds a stored hash.
    ///
    /// - Parameters:
    ///   - field: The stored text.
    ///   - row: The number of the record.
    ///   - isComment: Whether the record has the form of a comment.
    ///   - audit: The audit.
    ///   - salt: Returns the salt beside the hash; `nil` if salts are not stored there.
    /// - Throws: What `salt` throws, unless it is a ``HashColumn/Problem``: that counts as an incomplete record.
    func add(
        _ field: [UInt8],
        row: Int,
        isComment: Bool = false,
        to audit: inout PasswordTableAudit,
        salt: () throws -> [UInt8]?
    ) throws {
        do {
            let stored = StoredPasswordField(field.span)
            let content = field.dropFirst(stored.lockByteCount)
            if !hasSaltColumn, bareHashes.hasSaltInHash,
                let parts = bareHashes.saltedDigest(in: Array(content))
            {
                let digest = Array(field.prefix(stored.lockByteCount)) + Array(parts.digits.utf8)
                return audit.add(
                    digest.span,
                    row: row,
                    bareHexAlgorithm: try bareHashes.algorithm(salt: parts.salt),
                    isComment: isComment,
                    lockByteCount: stored.lockByteCount
                )
            }
            var algorithm = algorithm
            if hasSaltColumn {
                let digits = field.span.extracting(stored.lockByteCount...)
                if PasswordTableAudit.isBareHex(digits) || bareHashes.isAmbiguous(stored) {
                    algorithm = try bareHashes.algorithm(salt: salt())
                }
            }
            audit.add(field.span, row: row, bareHexAlgorithm: algorithm, isComment: isComment)
        } catch is HashColumn.Problem {
            audit.addIncomplete(row: row, isComment: false)
        }
    }
}
