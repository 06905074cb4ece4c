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
        /// The record is unchanged although it should be rehashed: its hash is unrecognized, or cannot be layered.
        case problem(String)
    }

    let context: PasswordContext
    /// The schemes to layer; `nil` for all that the policy rates weaker or deprecated.
    let schemes: Set<PasswordHash.Scheme>?
    /// The declared type of bare hexadecimal hashes.
    let bareHashes: BareHashOptions
    let hashField: Int
    let saltField: Int?

    /// Returns the record to write, and the outcome.
    func upgrade(_ record: TableRecord) throws -> (TableRecord, Outcome) {
        guard let field = record.field(hashField) else {
            return (record, Self.isBlankOrComment(record) ? .kept : .problem("the record has no hash field"))
        }
        // A mark before the hash locks an account. An attacker with the table can remove it, so upgrade the hash, too.
        let lock = Self.lock(of: field)
        let content = Array(field.dropFirst(lock.count))
        guard !Self.isNoHash(content, isLocked: !lock.isEmpty) else { return (record, .kept) }
        guard bareHashes.isDeclared || !BareHashOptions.isBare(content) else {
            return (record, .problem(BareHashOptions.ambiguity(of: content)))
        }
        do {
            let hash = try read(content, in: record)
            guard isToBeLayered(hash) else { return (record, .kept) }
            let layered = try context.layer(over: hash)
            return (record.replacing(hashField, with: lock + Array(layered.utf8)), .layered)
        } catch let error as PasswordError {
            // An error of this machine ends the run. The records written so far remain valid.
            if error == .outOfMemory || error == .backendFailed { throw error }
            let isExpected = Self.isBlankOrComment(record) || !lock.isEmpty && error == .unrecognized
            return (record, isExpected ? .kept : .problem("\(error)"))
        } catch let problem as SaltProblem {
            return (record, .problem(problem.message))
        }
    }

    private struct SaltProblem: Error {
        let message: String
    }

    /// Returns the outcome for a record that an earlier run wrote; `nil` if this run would write another record, apart
    /// from the random salt.
    func outcome(of written: TableRecord, for record: TableRecord) throws -> Outcome? {
        if written == record {
            let (_, outcome) = try upgrade(record)
            if case .layered = outcome { return nil }
            return outcome
        }
        guard let field = written.field(hashField), let own = record.field(hashField),
            // All other bytes must be unchanged. The field itself may have lost unnecessary quotes.
            written.isAlike(record, exceptFor: hashField)
        else { return nil }
        let lock = Self.lock(of: own)
        guard field.starts(with: lock), let hash = try? read(Array(own.dropFirst(lock.count)), in: record),
            isToBeLayered(hash),
            let layered = try? PasswordHash(
                String(decoding: field.dropFirst(lock.count), as: UTF8.self),
                limits: context.limits
            )
        else { return nil }
        return context.mightHaveLayered(layered, over: hash) ? .layered : nil
    }

    private func read(_ field: [UInt8], in record: TableRecord) throws -> PasswordHash {
        let text = String(decoding: field, as: UTF8.self)
        guard BareHashOptions.isBare(field) else { return try PasswordHash(text, limits: context.limits) }
        let salt = try saltField.map { index in
            guard let salt = record.field(index) else {
                throw SaltProblem(message: "the record has no salt field")
            }
            guard !salt.isEmpty else { throw SaltProblem(message: "the salt is empty") }
            return salt
        }
        guard let algorithm = try bareHashes.algorithm(salt: salt) else { throw PasswordError.unrecognized }
        return try PasswordHash(legacyHex: text, algorithm: algorithm)
    }

    private func isToBeLayered(_ hash: PasswordHash) -> Bool {
        guard !hash.isLayered, hash.pepperKeyID == nil else { return false }
        if let schemes { return schemes.contains(hash.scheme) }
        return context.policy.assess(hash) != .current
    }

    /// Returns the marks before a hash that lock an account. The asterisk of a hash of MySQL is a part of the hash.
    private static func lock(of field: [UInt8]) -> ArraySlice<UInt8> {
        let marks = field.prefix { $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "*") }
        let rest = field.dropFirst(marks.count)
        let isMySQL = rest.count == 40 && rest.allSatisfy { 48...57 ~= $0 || 65...70 ~= $0 }
        return isMySQL && marks.last == UInt8(ascii: "*") ? marks.dropLast() : marks
    }

    /// Returns whether a field marks an account without a password: no password can match it.
    private static func isNoHash(_ content: [UInt8], isLocked: Bool) -> Bool {
        content.isEmpty || content == [UInt8(ascii: "x")] || isLocked && content.count < 13
    }

    private static func isBlankOrComment(_ record: TableRecord) -> Bool {
        guard let field = record.field(0) else { return false }
        return field.first == UInt8(ascii: "#")
            || record.fieldCount == 1
                && field.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
