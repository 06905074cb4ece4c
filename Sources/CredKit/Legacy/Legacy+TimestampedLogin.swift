// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// A login that proves a password with a text that changes every minute.
    ///
    /// ```swift
    /// let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")
    /// scheme.passwordEquivalent(for: "123456").hex     // "e29fad51e98d32fd75c0a5ca8ab8aeb8"
    /// scheme.proof(for: "123456", at: try LoginMinute("2026-01-02 03:04")).hex
    ///                                                  // "9a51cf7b4bb312ed632030677c8faf73"
    /// ```
    ///
    /// The scheme, where `hex` is lowercase and HMAC stands for HMAC-MD5(key, message):
    ///
    /// | value | made of | who has it |
    /// |---|---|---|
    /// | key | `hex(MD5(key phrase))` | every copy of the client, and the server |
    /// | password-equivalent | `hex(HMAC(key, password))` | the server keeps it |
    /// | proof | `hex(HMAC(key, password-equivalent + time text))` | the client posts it |
    ///
    /// The time text is the server's minute, as a ``LoginMinute`` or as whatever text the server sent.
    ///
    /// > Warning: This protocol keeps a password off the wire and does little else.
    /// > - The password-equivalent logs in directly, without the password. It has neither a salt nor the user's
    /// >   name in it, so equal passwords show, and it is guessed at 10¹⁰ a second: a leaked table is a table of
    /// >   passwords.
    /// > - A proof that was overheard can be posted again during its minute, and until the end of time it lets
    /// >   its finder guess the password offline.
    /// > - Whoever can give the client a false time harvests a proof for a later minute.
    /// > - The key phrase is in every copy of the client: it is a constant of the protocol, not a secret.
    /// >
    /// > It never replaces TLS. New designs send the password over TLS to a server that keeps Argon2id, or use
    /// > SCRAM-SHA-256 or OPAQUE.
    public struct TimestampedLogin: Sendable {
        let key: HMACMD5.Key

        /// The scheme with a protocol's key phrase.
        ///
        /// - Parameter keyPhrase: The phrase that client and server have in common; of text its UTF-8.
        public init(keyPhrase: some SecretInput) {
            key = MD5.hash(secret: keyPhrase).withSecretHex { HMACMD5.Key($0) }
        }

        /// What the server keeps in place of the password. It is as good as the password to whoever reads it.
        ///
        /// - Parameter password: The password; of text its UTF-8, NUL included.
        /// - Returns: The value; its text is ``MessageDigest/hex``.
        public func passwordEquivalent(for password: some SecretInput) -> MessageDigest<16> {
            HMACMD5.authenticationCode(forPassword: password, using: key)
        }

        /// What the client posts: the proof for a minute.
        ///
        /// - Parameters:
        ///   - password: The password; of text its UTF-8, NUL included.
        ///   - minute: The server's minute.
        /// - Returns: The proof; its text is ``MessageDigest/hex``.
        public func proof(for password: some SecretInput, at minute: LoginMinute) -> MessageDigest<16> {
            proof(for: password, atTimeText: minute.description)
        }

        /// What the client posts: the proof for a time text that the server sent.
        ///
        /// - Parameters:
        ///   - password: The password; of text its UTF-8, NUL included.
        ///   - timeText: The text as the server sent it. A server may put a one-time value into it; a client
        ///     that uses it unseen proves the password for whatever time the sender chose.
        /// - Returns: The proof; its text is ``MessageDigest/hex``.
        public func proof(for password: some SecretInput, atTimeText timeText: String) -> MessageDigest<16> {
            proof(passwordEquivalent: passwordEquivalent(for: password), atTimeText: timeText)
        }

        /// The proof that a server expects for a minute.
        ///
        /// - Parameters:
        ///   - passwordEquivalent: What the server keeps.
        ///   - minute: The server's minute.
        /// - Returns: The proof. Compare it with `==`, which takes the same time wherever two differ.
        public func proof(
            passwordEquivalent: MessageDigest<16>,
            at minute: LoginMinute
        ) -> MessageDigest<16> {
            proof(passwordEquivalent: passwordEquivalent, atTimeText: minute.description)
        }

        /// The proof that a server expects for a time text that it sent.
        ///
        /// - Parameters:
        ///   - passwordEquivalent: What the server keeps.
        ///   - timeText: The text that the server sent.
        /// - Returns: The proof. Compare it with `==`, which takes the same time wherever two differ.
        public func proof(
            passwordEquivalent: MessageDigest<16>,
            atTimeText timeText: String
        ) -> MessageDigest<16> {
            let byteCount = 2 * passwordEquivalent.count + timeText.utf8.count
            return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { message in
                defer { unsafe Wiping.wipe(message) }
                var rest = UnsafeMutableRawBufferPointer(message)
                passwordEquivalent.withSecretHex { unsafe rest.take($0) }
                timeText.utf8.withContiguousSpan { unsafe rest.take($0) }
                return HMACMD5.authenticationCode(for: unsafe message.span, using: key)
            }
        }
    }
}
