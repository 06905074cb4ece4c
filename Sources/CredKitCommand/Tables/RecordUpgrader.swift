// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Upgrades the records of a table.
struct RecordUpgrader: Sendable {
    /// The result for a record.
    enum Outcome {
        /// Its hash is replaced: for instance, Argon2id was layered over it.
        case layered
        /// A password-equivalent was removed from it.
        case removed
        /// The record is unchanged: it is not a user's, has no password, or is safe enough already.
        case kept
        /// The record is unchanged although its hash is weak: only the next login can replace it.
        case rehash(String)
        /// The record is unchanged, and its hash cannot be verified.
        case problem(String)
    }

    /// What is to be done with a record.
    enum Decision {
        /// Replace the hash behind the lock mark.
        case replace(any HashReplacement, lock: [UInt8])
        case keep
        case rehash(String)
        case problem(String)

        var outcome: Outcome {
            switch self {
            case .replace(let replacement, _): replacement.isRemoval ? .removed : .layered
            case .keep: .kept
            case .rehash(let reason): .rehash(reason)
            case .problem(let reason): .problem(reason)
            }
        }
    }

    let target: any UpgradeTarget
    let column: HashColumn

    /// Returns the record to write, and the outcome.
    func upgrade(_ record: TableRecord) throws -> (TableRecord, Outcome) {
        let decision = try decide(record)
        guard case .replace(let replacement, let lock) = decision else { return (record, decision.outcome) }
        return (try replace(replacement, lock, in: record), decision.outcome)
    }

    /// Returns the record with the new hash. An error of this machine ends the run: the records written so far remain valid.
    func replace(
        _ replacement: any HashReplacement,
        _ lock: [UInt8],
        in record: TableRecord
    ) throws -> TableRecord {
        record.replacing(column.hashField, with: lock + (try replacement.make()))
    }

    /// Returns what is to be done with a record, without computing a hash.
    func decide(_ record: TableRecord) throws -> Decision {
        let isComment = HashColumn.isBlankOrComment(record)
        guard let field = record.field(column.hashField) else {
            return isComment ? .keep : .problem(HashColumn.Problem.noHashField.message)
        }
        // A mark before the hash locks an account. An attacker with the table can remove it, so upgrade the hash, too.
        let stored = StoredPasswordField(field.span)
        guard stored.absence == nil else { return kept(field) }
        let content = Array(field.dropFirst(stored.lockByteCount))
        do {
            let step = try target.step(for: content) { try read(content, stored, in: record) }
            switch step {
            case .replace(let replacement):
                return .replace(replacement, lock: Array(field.prefix(stored.lockByteCount)))
            case .keep: return .keep
            case .rehash(let reason): return .rehash(reason)
            case .problem(let reason): return .problem(reason)
            }
        } catch let error as PasswordError {
            let isExpected = isComment || stored.lockByteCount > 0 && error == .unrecognized
            guard !isExpected else { return isComment ? .keep : kept(field) }
            return .problem(HashColumn.cutOff(field.span, record.format) ?? "\(error)")
        } catch let problem as HashColumn.Problem {
            return .problem(problem.message)
        } catch let ambiguity as AmbiguousHash {
            return .problem(ambiguity.message)
        }
    }

    /// Returns the decision for a field of a locked account, or of one without a password.
    private func kept(_ field: [UInt8]) -> Decision {
        target.problem(inKept: field).map { .problem($0) } ?? .keep
    }

    private struct AmbiguousHash: Error {
        let message: String
    }

    /// Returns the outcome for a record that an earlier run wrote; `nil` if this run would write another record, apart
    /// from the random salt.
    func outcome(of written: TableRecord, for record: TableRecord) throws -> Outcome? {
        let decision = try decide(record)
        guard case .replace(let replacement, let lock) = decision else {
            return written == record ? decision.outcome : nil
        }
        // All other bytes must be unchanged. The field itself may have lost unnecessary quotes.
        guard written.isAlike(record, exceptFor: column.hashField),
            let field = written.field(column.hashField), field.starts(with: lock),
            replacement.mightHaveMade(Array(field.dropFirst(lock.count)))
        else { return nil }
        return decision.outcome
    }

    private func read(
        _ content: [UInt8],
        _ stored: StoredPasswordField,
        in record: TableRecord
    ) throws -> PasswordHash {
        let text = String(decoding: content, as: UTF8.self)
        let isAmbiguous = column.isAmbiguous(stored)
        guard BareHashOptions.isBare(content) || isAmbiguous else {
            return try PasswordHash(text, limits: target.limits)
        }
        guard let algorithm = try column.bareHexAlgorithm(of: record) else {
            throw AmbiguousHash(message: BareHashOptions.ambiguity(of: content))
        }
        guard !isAmbiguous else { throw AmbiguousHash(message: BareHashOptions.asteriskAmbiguity) }
        return try PasswordHash(legacyHex: text, algorithm: algorithm)
    }
}
