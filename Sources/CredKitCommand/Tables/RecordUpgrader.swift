// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Decides what becomes of each record of a table, and does it.
struct RecordUpgrader: Sendable {
    /// What became of a record.
    enum Outcome {
        /// Argon2id was put over its hash.
        case layered
        /// It stays: no user's, without a password, or safe enough already.
        case kept
        /// It stays although it should not: nobody knows what it is, or it cannot be layered.
        case problem(String)
    }

    let hasher: PasswordHasher
    /// The schemes that are layered; `nil` for all that the policy finds weaker or deprecated.
    let schemes: Set<PasswordHash.Scheme>?
    /// What bare hexadecimal digits are, by the salt that stands beside them, if that is known.
    let hexOrigin: (@Sendable (_ salt: [UInt8]?) throws -> PasswordHash.HexDigestOrigin)?
    let hashField: Int
    let saltField: Int?

    /// The record as it is to be written.
    func upgrade(_ record: TableRecord) throws -> (TableRecord, Outcome) {
        guard let field = record.field(hashField) else {
            return (record, Self.isBlankOrComment(record) ? .kept : .problem("there is no such field"))
        }
        // A locked account is locked by what stands before its hash. Whoever steals the table takes that off.
        let lock = field.prefix { $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "*") }
        let content = Array(field.dropFirst(lock.count))
        guard !Self.isNoHash(content, isLocked: !lock.isEmpty) else { return (record, .kept) }
        guard hexOrigin != nil || !Self.isHexDigest(content) else {
            return (
                record,
                .problem(
                    "32 hexadecimal digits do not say what made them; give --from hex-md5 or --from hex-hmac-md5"
                )
            )
        }
        do {
            let hash = try read(content, in: record)
            guard isToBeLayered(hash) else { return (record, .kept) }
            let layered = try hasher.layer(over: hash)
            return (record.replacing(hashField, with: lock + Array(layered.utf8)), .layered)
        } catch let error as PasswordError {
            // Trouble of this machine ends the run; what is written so far stays good.
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

    /// What became of a record that was written before: `nil` if that is not what this would write, its random salt
    /// aside.
    func outcome(of written: TableRecord, for record: TableRecord) throws -> Outcome? {
        if written == record {
            let (_, outcome) = try upgrade(record)
            if case .layered = outcome { return nil }
            return outcome
        }
        guard let field = written.field(hashField), let own = record.field(hashField),
            // Everything else must be as it was; the field itself may have had quotes that it did not need.
            written.isAlike(record, exceptFor: hashField)
        else { return nil }
        let lock = own.prefix { $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "*") }
        guard field.starts(with: lock), let hash = try? read(Array(own.dropFirst(lock.count)), in: record),
            isToBeLayered(hash),
            let layered = try? PasswordHash(
                String(decoding: field.dropFirst(lock.count), as: UTF8.self),
                limits: hasher.limits
            )
        else { return nil }
        return hasher.mightHaveLayered(layered, over: hash) ? .layered : nil
    }

    private func read(_ field: [UInt8], in record: TableRecord) throws -> PasswordHash {
        let text = String(decoding: field, as: UTF8.self)
        guard Self.isHexDigest(field), let hexOrigin else {
            return try PasswordHash(text, limits: hasher.limits)
        }
        let salt = try saltField.map { index in
            guard let salt = record.field(index) else {
                throw SaltProblem(message: "there is no field of the salt")
            }
            guard !salt.isEmpty else { throw SaltProblem(message: "the salt is empty") }
            return salt
        }
        return try PasswordHash(hexDigest: text, madeBy: hexOrigin(salt))
    }

    private func isToBeLayered(_ hash: PasswordHash) -> Bool {
        guard !hash.isLayered, hash.pepperKeyID == nil else { return false }
        if let schemes { return schemes.contains(hash.scheme) }
        return hasher.policy.assess(hash) != .current
    }

    private static func isHexDigest(_ field: [UInt8]) -> Bool {
        field.count == 32 && (try? Hex.decode(field)) != nil
    }

    /// What stands in a hash's place for an account without a password: nothing can match it.
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
