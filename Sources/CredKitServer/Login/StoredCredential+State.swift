// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension StoredCredential {
    /// How far a credential is on the way from the timestamped login to SCRAM.
    public enum State: Sendable, Hashable, CaseIterable {
        /// A password-equivalent alone: timestamped logins, and a form.
        case passwordEquivalent
        /// A password-equivalent and a SCRAM verifier of it: timestamped logins, SCRAM by clients with the key phrase, a form.
        case passwordEquivalentAndVerifier
        /// A SCRAM verifier of a password-equivalent: SCRAM by clients with the key phrase, a form.
        case layeredVerifier
        /// A SCRAM verifier of the password: SCRAM by all clients, a form.
        case verifier
        /// A hash: a form alone.
        case hash
        /// Nothing: see ``StoredCredential/unusable``.
        case unusable
    }

    /// How far the credential is on the way from the timestamped login to SCRAM.
    public var state: State {
        if let record {
            guard record.subject == .passwordEquivalent else { return .verifier }
            return passwordEquivalent == nil ? .layeredVerifier : .passwordEquivalentAndVerifier
        }
        if passwordEquivalent != nil { return .passwordEquivalent }
        return self == .unusable ? .unusable : .hash
    }

    /// Returns the verifier with which the user logs in by SCRAM.
    ///
    /// - Returns: The verifier, and what it was made of.
    /// - Throws: ``LoginServerError/unsuitableCredential``, which says why there is none.
    public func scramRecord() throws(LoginServerError) -> SCRAM.Record {
        if let usableRecord { return usableRecord }
        switch state {
        case .passwordEquivalentAndVerifier, .layeredVerifier, .verifier: break
        case .passwordEquivalent:
            throw .unsuitable(
                "a password-equivalent is not a verifier, but one can be made of it without the password"
            )
        case .unusable: throw .unsuitable("the user has no password")
        case .hash:
            // Their digest is SCRAM's salted password, from which both keys are computed.
            let scheme = try? PasswordHash(passwordHash).scheme
            let isPBKDF2 = [.pbkdf2SHA1, .pbkdf2SHA256, .pbkdf2SHA512].contains(scheme)
            throw isPBKDF2
                ? .unsuitable(
                    "every old copy of a PBKDF2 hash would log in by SCRAM as the password does; make a verifier with a new "
                        + "salt at the user's next login"
                )
                : .unsuitable(
                    "a password hash is not a verifier, and none can be made of it without the password"
                )
        }
        throw verifier?.hashFunction == .sha1
            ? .unsuitable("verifiers of SHA-1 verify passwords of a form, and no login by SCRAM")
            : .unsuitable(
                "the verifier was made of a hash with another key than that of timestamped logins"
            )
    }

    /// The verifier of ``scramRecord()``, without the time that an error takes.
    var usableRecord: SCRAM.Record? {
        guard let record, record.verifier.hashFunction != .sha1,
            record.keyID == nil || record.keyID == SCRAM.Record.timestampedKeyID
        else { return nil }
        return record
    }

    /// Whether a login with the password may store a hash of it in place of this credential: users of all others log in with
    /// them otherwise than by a form.
    var isReplaceableByHash: Bool {
        state == .hash || record?.verifier.hashFunction == .sha1
    }
}
