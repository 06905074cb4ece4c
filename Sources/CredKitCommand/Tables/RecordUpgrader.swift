// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Upgrades the records of a table.
struct RecordUpgrader: Sendable {
    /// The result for a record.
    enum Outcome {
        /// Argon2id was layered over its hash.
        case layered
        /// The record is unchanged: it is not a user's, has no password, or is safe enough already.
        case kept
        /// The record is unchanged although its hash is weak: only the next login can replace it.
        case rehash(String)
        /// The record is unchanged, and its hash cannot be verified.
        case problem(String)
    }

    /// What is to be done with a record.
    enum Decision {
        /// Layer Argon2id over this hash, behind the lock mark.
        case layer(PasswordHash, lock: [UInt8])
        case keep
        case rehash(String)
        case problem(String)
    }

    let context: PasswordContext
    /// The schemes to layer; `nil` for all that the policy rates weaker or deprecated.
    let schemes: Set<PasswordHash.Scheme>?
    let column: HashColumn

    /// Returns the record to write, and the outcome.
    func upgrade(_ record: TableRecord) throws -> (TableRecord, Outcome) {
        switch try decide(record) {
        case .layer(let hash, let lock): (try layer(hash, lock, in: record), .layered)
        case .keep: (record, .kept)
        case .rehash(let reason): (record, .rehash(reason))
        case .problem(let reason): (record, .problem(reason))
        }
    }

    /// Returns the record with the layered hash. An error of this machine ends the run: the records written so far remain
    /// valid.
    func layer(_ hash: PasswordHash, _ lock: [UInt8], in record: TableRecord) throws -> TableRecord {
        record.replacing(column.hashField, with: lock + Array(try context.layer(over: hash).utf8))
    }

    /// Returns what is to be done with a record, without computing a hash.
    func decide(_ record: TableRecord) throws -> Decision {
        let isComment = HashColumn.isBlankOrComment(record)
        guard let field = record.field(column.hashField) else {
            return isComment ? .keep : .problem(HashColumn.Problem.noHashField.message)
        }
        // A mark before the hash locks an account. An attacker with the table can remove it, so upgrade the hash, too.
        let stored = StoredPasswordField(field.span)
        guard stored.absence == nil else { return .keep }
        let lock = Array(field.prefix(stored.lockByteCount))
        do {
            let hash = try read(field, stored, in: record)
            switch context.layeringDecision(for: hash, only: schemes) {
            case .layer: return .layer(hash, lock: lock)
            case .keep: return .keep
            case .impossible(let error): return .rehash("\(error)")
            case .refused(let error): return .problem("\(error)")
            }
        } catch let error as PasswordError {
            let isExpected = isComment || !lock.isEmpty && error == .unrecognized
            guard !isExpected else { return .keep }
            return .problem(HashColumn.isCutOff(field.span, record.format) ? HashColumn.cutOff : "\(error)")
        } catch let problem as HashColumn.Problem {
            return .problem(problem.message)
        } catch let ambiguity as AmbiguousHash {
            return .problem(ambiguity.message)
        }
    }

    private struct AmbiguousHash: Error {
        let message: String
    }

    /// Returns the outcome for a record that an earlier run wrote; `nil` if this run would write another record, apart
    /// from the random salt.
    func outcome(of written: TableRecord, for record: TableRecord) throws -> Outcome? {
        let decision = try decide(record)
        switch decision {
        case .keep: return written == record ? .kept : nil
        case .rehash(let reason): return written == record ? .rehash(reason) : nil
        case .problem(let reason): return written == record ? .problem(reason) : nil
        case .layer(let hash, let lock):
            // All other bytes must be unchanged. The field itself may have lost unnecessary quotes.
            guard written.isAlike(record, exceptFor: column.hashField),
                let field = written.field(column.hashField), field.starts(with: lock),
                let layered = try? PasswordHash(
                    String(decoding: field.dropFirst(lock.count), as: UTF8.self),
                    limits: context.limits
                )
            else { return nil }
            return context.mightHaveLayered(layered, over: hash) ? .layered : nil
        }
    }

    private func read(
        _ field: [UInt8],
        _ stored: StoredPasswordField,
        in record: TableRecord
    ) throws -> PasswordHash {
        let content = Array(field.dropFirst(stored.lockByteCount))
        let text = String(decoding: content, as: UTF8.self)
        let isAmbiguous = column.isAmbiguous(stored)
        guard BareHashOptions.isBare(content) || isAmbiguous else {
            return try PasswordHash(text, limits: context.limits)
        }
        guard let algorithm = try column.bareHexAlgorithm(of: record) else {
            throw AmbiguousHash(message: BareHashOptions.ambiguity(of: content))
        }
        guard !isAmbiguous else { throw AmbiguousHash(message: BareHashOptions.asteriskAmbiguity) }
        return try PasswordHash(legacyHex: text, algorithm: algorithm)
    }
}
