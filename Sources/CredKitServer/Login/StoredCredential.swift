// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The stored form of a user's password.
///
/// ```swift
/// try StoredCredential("97070e99c2efa11e14a1b6f5407b4209")      // of a timestamped login: a password-equivalent
/// try StoredCredential("$argon2id$v=19$m=19456,t=2,p=1$…")      // any hash of PasswordContext: for form login over TLS
/// ```
///
/// > Warning: A password-equivalent logs in as the password does, has no salt and can be guessed at 10¹⁰ a second:
/// > protect a table of them like a table of passwords. A hash cannot verify a timestamped login; a user who has a hash
/// > can log in only by a form over TLS.
public struct StoredCredential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private enum Content: Sendable, Hashable {
        case passwordEquivalent(MessageDigest<16>)
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

    /// Parses the text of a credential.
    ///
    /// - Parameter text: The 32 hexadecimal digits of a password-equivalent, or the text of a hash.
    /// - Throws: ``LoginServerError/malformedCredential`` for any other text. The error does not contain the text.
    public init(_ text: String) throws(LoginServerError) {
        if text.utf8.count == 32, let equivalent = MessageDigest<16>(hex: text) {
            content = .passwordEquivalent(equivalent)
            return
        }
        do throws(PasswordError) {
            content = .hash(try PasswordHash(text).description)
        } catch {
            throw LoginServerError(
                .malformedCredential,
                message:
                    "neither 32 hexadecimal digits (a password-equivalent) nor a password hash (\(error))",
                underlying: error
            )
        }
    }

    /// The password-equivalent, if the credential is one.
    public var passwordEquivalent: MessageDigest<16>? {
        if case .passwordEquivalent(let equivalent) = content { equivalent } else { nil }
    }

    /// The credential as a hash that ``PasswordService`` verifies a password against, for form login over TLS; `!` for
    /// an ``unusable`` one, which is not a hash and so matches no password, in the same time.
    ///
    /// The hash of a password-equivalent refers to a key, which the service's context must have under ``hashKeyID``:
    ///
    /// ```swift
    /// let keys = [StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: "itheima")]
    /// let context = try PasswordContext(policy: .recommended, legacyKeys: keys)
    /// ```
    ///
    /// Never replace a password-equivalent with the new hash that such a verification returns: the user could no longer
    /// log in with a timestamped password.
    public var passwordHash: String {
        switch content {
        case .passwordEquivalent(let equivalent):
            // The notation of PasswordHash.LegacyHexAlgorithm.hmacMD5(keyID:).
            "$hex-hmac-md5$keyid=\(Self.hashKeyID)$\(equivalent.hex)"
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
        case .hash: "‹password hash›"
        case .unusable: "‹unusable›"
        }
    }

    /// A mirror without children: dumping a credential reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
