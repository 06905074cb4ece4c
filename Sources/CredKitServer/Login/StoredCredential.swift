// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The stored form of a user's password.
///
/// ```swift
/// try StoredCredential("97070e99c2efa11e14a1b6f5407b4209")      // of a timestamped login: a password-equivalent
/// try StoredCredential("$layered-scram$keyid=timestamped-login$SCRAM-SHA-256$…")     // SCRAM in its place
/// try StoredCredential("SCRAM-SHA-256$600000:…")                // SCRAM
/// try StoredCredential("$argon2id$v=19$m=19456,t=2,p=1$…")      // any hash of PasswordContext: for form login over TLS
/// ```
///
/// ``State`` lists the ways to log in with each. For a form over TLS, Argon2id is a better choice than SCRAM: see
/// ``CredKit/SCRAM``.
///
/// > Warning: A password-equivalent logs in as the password does, has no salt and can be guessed at 10¹⁰ a second:
/// > protect a table of them like a table of passwords. A hash cannot verify a timestamped login; a user who has a hash
/// > can log in only by a form over TLS.
public struct StoredCredential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private enum Content: Sendable, Hashable {
        case passwordEquivalent(MessageDigest<16>)
        /// The verifier is one of this password-equivalent.
        case both(MessageDigest<16>, SCRAM.Record)
        case record(SCRAM.Record)
        case hash(String)
        case unusable
    }

    private let content: Content

    /// A credential that matches no password: the user logs in by another mechanism, or not at all.
    public static let unusable = Self(content: .unusable)

    private init(content: Content) { self.content = content }

    /// The key ID under which ``passwordHash`` refers to the key of timestamped logins.
    public static let hashKeyID = "timestamped-login"

    /// Creates a credential for a timestamped login.
    ///
    /// - Parameter passwordEquivalent: The result of ``CredKit/Legacy/TimestampedLogin/passwordEquivalent(for:)``.
    public init(passwordEquivalent: MessageDigest<16>) {
        content = .passwordEquivalent(passwordEquivalent)
    }

    /// Creates a credential for SCRAM.
    ///
    /// - Parameter record: The verifier, and what it was made of.
    public init(_ record: SCRAM.Record) {
        content = .record(record)
    }

    /// Creates a credential for SCRAM by new clients and for the timestamped login by old ones. As long as it has both, a thief
    /// of the table logs in as before: see ``removingPasswordEquivalent``.
    ///
    /// - Parameters:
    ///   - passwordEquivalent: The password-equivalent.
    ///   - verifier: The verifier of the same password-equivalent.
    public init(passwordEquivalent: MessageDigest<16>, verifier: SCRAM.Verifier) {
        content = .both(passwordEquivalent, SCRAM.Record(verifier, of: .passwordEquivalent))
    }

    /// Parses the text of a credential.
    ///
    /// - Parameter text: The 32 hexadecimal digits of a password-equivalent, the text of a SCRAM verifier, both of them with a
    ///   plus sign in between, or the text of a hash.
    /// - Throws: ``LoginServerError/malformedCredential`` for any other text. The error does not contain the text.
    public init(_ text: String) throws(LoginServerError) {
        if let equivalent = MessageDigest<16>(hex: text.prefix(32)), text.utf8.count >= 32 {
            let rest = text.utf8.dropFirst(32)
            if rest.isEmpty {
                content = .passwordEquivalent(equivalent)
                return
            }
            if rest.first == UInt8(ascii: "+") {
                content = .both(equivalent, try Self.layeredRecord(String(Substring(rest.dropFirst()))))
                return
            }
        }
        guard !Self.isRecord(text) else {
            content = .record(try Self.record(text))
            return
        }
        let hash = try Self.hash(text)
        content = (try? PasswordHash(hash).scheme) == .unusable ? .unusable : .hash(hash)
    }

    /// The text of the credential, to store it. It logs in, or can be guessed from.
    public var text: String {
        switch content {
        case .passwordEquivalent(let equivalent): equivalent.hex
        case .both(let equivalent, let record): "\(equivalent.hex)+\(record.text)"
        case .record(let record): record.text
        case .hash(let text): text
        case .unusable: "!"
        }
    }

    /// The password-equivalent, if the credential has one.
    public var passwordEquivalent: MessageDigest<16>? {
        switch content {
        case .passwordEquivalent(let equivalent), .both(let equivalent, _): equivalent
        case .record, .hash, .unusable: nil
        }
    }

    /// The SCRAM verifier with what it was made of, if the credential has one: see ``scramRecord()``.
    public var record: SCRAM.Record? {
        switch content {
        case .both(_, let record), .record(let record): record
        case .passwordEquivalent, .hash, .unusable: nil
        }
    }

    /// The SCRAM verifier, if the credential has one.
    public var verifier: SCRAM.Verifier? { record?.verifier }

    /// The credential without its password-equivalent, which ends the timestamped login of the user; `nil` for a
    /// password-equivalent alone, because nothing would remain. Any other credential is returned as it is.
    public var removingPasswordEquivalent: StoredCredential? {
        switch content {
        case .passwordEquivalent: nil
        case .both(_, let record): Self(record)
        case .record, .hash, .unusable: self
        }
    }

    /// The credential as a hash that ``PasswordService`` verifies a password against, for form login over TLS; `!` for
    /// an ``unusable`` one, which is not a hash and so matches no password, in the same time.
    ///
    /// The hash of a password-equivalent, or of a verifier that was made of one, refers to a key, which the service's context
    /// must have under ``hashKeyID``:
    ///
    /// ```swift
    /// let keys = [StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: "school-2012")]
    /// let context = try PasswordContext(policy: .recommended, legacyKeys: keys)
    /// ```
    ///
    /// Never replace a password-equivalent or a SCRAM verifier with the new hash that such a verification returns: the user
    /// could no longer log in with a timestamped password, or by SCRAM.
    public var passwordHash: String {
        switch content {
        case .passwordEquivalent(let equivalent), .both(let equivalent, _):
            // The notation of PasswordHash.LegacyHexAlgorithm.hmacMD5(keyID:).
            "$hex-hmac-md5$keyid=\(Self.hashKeyID)$\(equivalent.hex)"
        case .record(let record): record.text
        case .hash(let text): text
        case .unusable: "!"
        }
    }

    /// Returns the key that ``passwordHash`` of a password-equivalent refers to.
    ///
    /// - Parameter keyPhrase: The key phrase of the timestamped login.
    /// - Returns: The key.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public static func hashKey(forKeyPhrase keyPhrase: some SecretInput) throws(LoginServerError)
        -> SecretBytes
    {
        do throws(SecretMemoryError) {
            return try SecretBytes(Legacy.MD5.hash(secret: keyPhrase).hex)
        } catch {
            throw .outOfMemory
        }
    }

    /// The kind of the credential, without its content.
    public var description: String {
        switch content {
        case .passwordEquivalent: "‹password-equivalent›"
        case .both(_, let record): "‹password-equivalent and \(Self.name(of: record))›"
        case .record(let record): "‹\(Self.name(of: record))›"
        case .hash: "‹password hash›"
        case .unusable: "‹unusable›"
        }
    }

    private static func name(of record: SCRAM.Record) -> String {
        let layer = record.subject == .passwordEquivalent ? "layered " : ""
        return "\(layer)SCRAM-\(record.verifier.hashFunction.rawValue) verifier"
    }

    /// A mirror without children: dumping a credential reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension StoredCredential {
    /// Whether a text claims to be the verifier of SCRAM.
    static func isRecord(_ text: String) -> Bool {
        ["SCRAM-", "{SCRAM-", "$layered-scram$"].contains { text.utf8.starts(with: $0.utf8) }
    }

    static func record(_ text: String) throws(LoginServerError) -> SCRAM.Record {
        do throws(SCRAM.Error) {
            return try SCRAM.Record(text)
        } catch {
            throw LoginServerError(
                .malformedCredential,
                message: "not a SCRAM verifier (\(error))",
                underlying: error
            )
        }
    }

    /// Parses the verifier behind a password-equivalent, which must be one of it.
    static func layeredRecord(_ text: String) throws(LoginServerError) -> SCRAM.Record {
        let record = try record(text)
        guard record.keyID == SCRAM.Record.timestampedKeyID, record.verifier.hashFunction != .sha1 else {
            throw LoginServerError(
                .malformedCredential,
                message: "the verifier behind a password-equivalent is not one of a timestamped login"
            )
        }
        return record
    }

    static func hash(_ text: String) throws(LoginServerError) -> String {
        guard !text.utf8.starts(with: "$scram$".utf8) else {
            throw LoginServerError(
                .malformedCredential,
                message:
                    "passlib's $scram$ is not supported: every old copy of its digests logs in by SCRAM as the "
                    + "password does; store a new verifier or hash at the user's next login"
            )
        }
        do throws(PasswordError) {
            return try PasswordHash(text).description
        } catch {
            throw LoginServerError(
                .malformedCredential,
                message:
                    "neither 32 hexadecimal digits (a password-equivalent) nor a password hash (\(error))",
                underlying: error
            )
        }
    }
}
