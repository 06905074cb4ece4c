// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Decides what becomes of a stored hash, whether it is a field of a file or a column of a database.
struct HashUpgrader: Sendable {
    /// The result for a hash.
    enum Outcome {
        /// It is replaced: for instance, Argon2id was layered over it.
        case layered
        /// A password-equivalent was removed from it.
        case removed
        /// It is unchanged: it is not a user's, has no password, or is safe enough already.
        case kept
        /// It is unchanged although it is weak: only the next login can replace it.
        case rehash(String)
        /// It is unchanged, and cannot be verified.
        case problem(String)

        /// What a report says of the hash; `nil` if it does not list it.
        func remark(_ target: any UpgradeTarget) -> String? {
            switch self {
            case .layered, .removed, .kept: nil
            case .rehash(let reason): "\(target.rehashNote): \(reason)"
            case .problem(let reason): reason
            }
        }
    }

    /// What is to be done with a hash.
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
        let stored = StoredPasswordField(field.span)
        guard stored.absence == nil else { return kept(field) }
        let content = Array(field.dropFirst(stored.lockByteCount))
        do {
            let step = try target.step(for: content) { try read(content, stored, salt: salt) }
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
            return .problem(format.flatMap { HashColumn.cutOff(field.span, $0) } ?? "\(error)")
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

    private func read(
        _ content: [UInt8],
        _ stored: StoredPasswordField,
        salt: () throws -> [UInt8]?
    ) throws -> PasswordHash {
        if let (digest, ownSalt) = bareHashes.digestAndSalt(in: content),
            let algorithm = try bareHashes.algorithm(salt: ownSalt)
        {
            return try PasswordHash(legacyHex: String(decoding: digest, as: UTF8.self), algorithm: algorithm)
        }
        let text = String(decoding: content, as: UTF8.self)
        let isAmbiguous = bareHashes.isAmbiguous(stored)
        guard BareHashOptions.isBare(content) || isAmbiguous else {
            return try PasswordHash(text, limits: target.limits)
        }
        guard let algorithm = try bareHashes.algorithm(salt: salt()) else {
            throw AmbiguousHash(message: BareHashOptions.ambiguity(of: content))
        }
        guard !isAmbiguous else { throw AmbiguousHash(message: BareHashOptions.asteriskAmbiguity) }
        return try PasswordHash(legacyHex: text, algorithm: algorithm)
    }
}
