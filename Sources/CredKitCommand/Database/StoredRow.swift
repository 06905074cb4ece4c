// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A row of a table in a database, as it was read.
struct StoredRow: Sendable {
    /// The identifier as a text.
    let id: [UInt8]
    /// The stored text; `nil` for `NULL`.
    let hash: [UInt8]?
    let salt: [UInt8]?

    init?(_ row: UpgradeRow) {
        guard let id = row.bytes(0) else { return nil }
        self.id = id
        hash = row.bytes(1)
        salt = row.bytes(2)
    }
}

extension HashUpgrader {
    /// Returns what is to be done with a row of a database, without computing a hash.
    func decide(_ row: StoredRow, hasSalts: Bool) throws -> Decision {
        guard let hash = row.hash else { return .keep }
        guard hash.count <= UpgradeStatements.maximumLength else {
            return .problem("the stored text is longer than any hash")
        }
        return try decide(hash, in: nil) {
            guard hasSalts else { return nil }
            guard let salt = row.salt, !salt.isEmpty else { throw HashColumn.Problem.emptySalt }
            return salt
        }
    }
}
