// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Decides what becomes of a stored hash, whether it is a field of a file or a column of a database.
struct HashUpgrader: Sendable {
    /// The result for a hash.
    enum Outcome {
        /// It is replaced: for instance, Argon2id was layered over it.
        case layered(isLocked: Bool)
        /// A password-equivalent was removed from it.
        case removed(isLocked: Bool)
        /// It is unchanged, as it should be.
        case kept(KeptReason, isLocked: Bool)
        /// It is unchanged although it is weak: only the next login can replace it.
        case rehash(UpgradeRemark, isLocked: Bool)
        /// It is unchanged, and cannot be verified.
        case problem(UpgradeRemark)

        /// The record is a comment or the header.
        static let comment = Outcome.kept(.comment, isLocked: false)

        /// What a report says of the hash; `nil` if it does not list it.
        func remark(_ target: any UpgradeTarget) -> String? {
            switch self {
            case .layered, .removed, .kept: nil
            case .rehash(let remark, _): "\(target.rehashNote): \(remark.reason)"
            case .problem(let remark): remark.reason
            }
        }
    }

    /// What is to be done with a hash. `isLocked` tells whether it stands behind a lock mark.
    enum Decision {
        /// Replace the hash behind the lock mark.
        case replace(any HashReplacement, lock: [UInt8])
        case keep(KeptReason, isLocked: Bool = false)
        case rehash(UpgradeRemark, isLocked: Bool)
        /// Leave the record unchanged, report it, and go on: `TableUpgrader.work` copies every record that is not
        /// `.replace`.
        case problem(UpgradeRemark)

        var outcome: Outcome {
            switch self {
            case .replace(let replacement, let lock):
                replacement.isRemoval ? .removed(isLocked: !lock.isEmpty) : .layered(isLocked: !lock.isEmpty)
            case .keep(let reason, let isLocked): .kept(reason, isLocked: isLocked)
            case .rehash(let remark, let isLocked): .rehash(remark, isLocked: isLocked)
            case .problem(let remark): .problem(remark)
            }
        }
    }

    let target: any UpgradeTarget
    /// The declared type of bare hexadecimal hashes.
    let bareHashes: BareHashOptions

    /// Returns what is to be done with a stored hash, without computing a hash.
    ///
    /// - Parameters:
    ///   - field: The stored text.
    ///   - format: The format of the file; `nil` for a database.
    ///   - isComment: Whether the text is of a comment.
    ///   - salt: Returns the salt that is stored beside the hash; `nil` if salts are not stored there.
    /// - Returns: The decision.
    /// - Throws: What `salt` throws, unless it is a ``HashColumn/Problem``.
    func decide(
        _ field: [UInt8],
        in format: TableRecord.Format?,
        isComment: Bool = false,
        salt: () throws -> [UInt8]?
    ) throws -> Decision {
        // A mark before the hash locks an account. An attacker with the table can remove it, so upgrade the hash, too.
        let field = StoredPasswordField.withMarksFirst(field.span) ?? field
        let stored = StoredPasswordField(field.span)
        switch stored.absence {
        case .empty?, .shadowed?: return .keep(isComment ? .comment : .withoutPassword)
        case .locked?: return .keep(isComment ? .comment : .locked)
        case nil: break
        }
        let content = Array(field.dropFirst(stored.lockByteCount))
        let isLocked = stored.lockByteCount > 0
        do {
            let step = try target.step(for: content) { try read(content, stored, salt: salt) }
            switch step {
            case .replace(let replacement):
                return .replace(replacement, lock: Array(field.prefix(stored.lockByteCount)))
            case .keep(let reason): return .keep(reason, isLocked: isLocked)
            case .rehash(let remark): return .rehash(remark, isLocked: isLocked)
            case .problem(let remark): return .problem(remark)
            }
        } catch let error as PasswordError {
            if isComment && PasswordTableAudit.isComment(content.span, error) { return .keep(.comment) }
            if let message = format.flatMap({ HashColumn.cutOff(field.span, $0) }) {
                return .problem(UpgradeRemark(kind: UpgradeRemark.incomplete, reason: message))
            }
            let remark = UpgradeRemark(error)
            guard error == .unrecognized else { return .problem(remark) }
            let reason = remark.reason + hint(content, isLocked: isLocked)
            return .problem(UpgradeRemark(kind: remark.kind, reason: reason))
        } catch let problem as HashColumn.Problem {
            return .problem(UpgradeRemark(kind: UpgradeRemark.incomplete, reason: problem.message))
        } catch let ambiguity as AmbiguousHash {
            return .problem(UpgradeRemark(kind: UpgradeRemark.ambiguous, reason: ambiguity.message))
        }
    }

    /// Returns what a message adds for a text that is no hash, but may contain one.
    private func hint(_ content: [UInt8], isLocked: Bool) -> String {
        let starts = content.indices.dropFirst().lazy.filter { "${".utf8.contains(content[$0]) }
        // A text can have any number of them.
        if starts.prefix(8).contains(where: { isHash(content[$0...]) }) {
            return
                "; the text before the hash is not a known lock mark: if it locks the account, replace it with '!'"
        }
        if let comma = content.lastIndex(of: UInt8(ascii: ",")), isHash(content[..<comma]) {
            return "; a comma and the age of the password follow the hash, as in old System V: remove them"
        }
        return isLocked ? "; the text behind the lock mark may contain a hash" : ""
    }

    private func isHash(_ text: ArraySlice<UInt8>) -> Bool {
        (try? PasswordHash(String(decoding: text, as: UTF8.self), limits: target.limits)) != nil
    }

    private struct AmbiguousHash: Error {
        let message: String
    }

    /// What bare digits mean is decided also by `BareHashOptions.hash` for a single hash, and by `ambiguity` of `HexDigestHash.swift`
    /// in the library.
    private func read(
        _ content: [UInt8],
        _ stored: StoredPasswordField,
        salt: () throws -> [UInt8]?
    ) throws -> PasswordHash {
        let text = String(decoding: content, as: UTF8.self)
        let isAmbiguous = bareHashes.isAmbiguous(stored)
        let parts = bareHashes.saltedDigest(in: content)
        guard BareHashOptions.isBare(content) || parts != nil || isAmbiguous else {
            return try PasswordHash(text, limits: target.limits)
        }
        let ownSalt = bareHashes.isDeclared ? try salt() : nil
        if let parts {
            guard ownSalt == nil, let hash = try bareHashes.declared(parts) else {
                throw AmbiguousHash(message: SaltedDigest.ambiguity)
            }
            return hash
        }
        guard ownSalt != nil || !bareHashes.requiresSaltInHash else {
            throw AmbiguousHash(message: "the hash has no salt; \(SaltedDigest.missingSalt)")
        }
        guard let algorithm = try bareHashes.algorithm(salt: ownSalt) else {
            throw AmbiguousHash(message: BareHashOptions.ambiguity(of: content))
        }
        guard !isAmbiguous else { throw AmbiguousHash(message: BareHashOptions.asteriskAmbiguity) }
        return try PasswordHash(legacyHex: text, algorithm: algorithm)
    }
}
