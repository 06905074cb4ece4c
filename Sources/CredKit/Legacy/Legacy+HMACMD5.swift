// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// HMAC-MD5 ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)): 16 bytes that whoever has the key can
    /// make and check.
    ///
    /// ```swift
    /// let key = Legacy.HMACMD5.Key("84143")                       // prepared once, used many times
    /// let code = Legacy.HMACMD5.authenticationCode(for: "hashcat".utf8, using: key)
    /// code.hex                                                    // "7f51edecfa6fb401a0b5e63d33fc8c0e"
    /// Legacy.HMACMD5.isValid(code, authenticating: "hashcat".utf8, using: key)    // true
    /// ```
    ///
    /// > Warning: As a message authentication code HMAC-MD5 is not broken (RFC 6151), but no new design should
    /// > have it: use HMAC-SHA256. As a way to store passwords, with the key as the salt, it is as weak as
    /// > ``MD5``: somebody with the table and the key guesses 10¹⁰ a second. Use Argon2id.
    public struct HMACMD5: Sendable, CustomStringConvertible, CustomReflectable {
        /// A key with its preparation done once; copies share it, and it is wiped with the last of them.
        public struct Key: Sendable, CustomStringConvertible, CustomReflectable {
            let prepared: HMAC<MD5>.Key

            /// Prepares a key.
            ///
            /// - Parameter secret: The key, of any length; of text its UTF-8. Keys longer than 64 bytes are
            ///   hashed first, as RFC 2104 has it.
            public init(_ secret: some SecretInput) {
                prepared = HMAC<MD5>.Key(secret)
            }

            init(_ bytes: Span<UInt8>) {
                prepared = HMAC<MD5>.Key(bytes)
            }

            /// `‹redacted›`, never the key.
            public var description: String { "‹redacted›" }

            /// A mirror without children: dumping a key shows nothing of it.
            public var customMirror: Mirror { Mirror(self, children: []) }
        }

        private var code: HMAC<MD5>

        /// A code that nothing has been fed to.
        ///
        /// - Parameter key: The key.
        public init(key: Key) {
            code = HMAC(key: key.prepared)
        }

        /// Feeds the next bytes of the message.
        ///
        /// - Parameter bytes: The next bytes, any number of them.
        public mutating func update(_ bytes: Span<UInt8>) {
            code.update(bytes)
        }

        /// Feeds the next bytes of the message.
        ///
        /// - Parameter data: The next bytes; an array, a `String.UTF8View` …
        @inlinable
        public mutating func update(data: some Collection<UInt8>) {
            data.withContiguousSpan { update($0) }
        }

        /// The code of all that was fed so far. More can be fed afterwards.
        ///
        /// - Returns: The code.
        public func finalize() -> MessageDigest<16> {
            code.finalize()
        }

        /// The code of all that was fed, leaving no trace of it here: for messages that are secret. Afterwards
        /// this is of no further use.
        ///
        /// - Returns: The code.
        public mutating func finalizeAndWipe() -> MessageDigest<16> {
            code.finalizeAndWipe()
        }

        /// The name, and nothing of what was fed.
        public var description: String { code.description }

        /// A mirror without children: dumping a code shows nothing of key and message.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension Legacy.HMACMD5 {
    /// The code of a message.
    ///
    /// - Parameters:
    ///   - message: The whole message.
    ///   - key: The key.
    /// - Returns: The code.
    public static func authenticationCode(for message: Span<UInt8>, using key: Key) -> MessageDigest<16> {
        HMAC<Legacy.MD5>.code(of: message, using: key.prepared)
    }

    /// The code of a message.
    ///
    /// - Parameters:
    ///   - message: The whole message; an array, a `String.UTF8View` …
    ///   - key: The key.
    /// - Returns: The code.
    @inlinable
    public static func authenticationCode(
        for message: some Collection<UInt8>,
        using key: Key
    ) -> MessageDigest<16> {
        message.withContiguousSpan { authenticationCode(for: $0, using: key) }
    }

    /// The code of a password, read in place.
    ///
    /// - Parameters:
    ///   - password: The password; of text its UTF-8, NUL included.
    ///   - key: The key.
    /// - Returns: The code; ``MessageDigest/hex`` is the text that tables hold.
    public static func authenticationCode(
        forPassword password: some SecretInput,
        using key: Key
    ) -> MessageDigest<16> {
        password.withSecretBytes { authenticationCode(for: $0, using: key) }
    }

    /// Whether a code belongs to a message, compared in a time that does not depend on where it differs.
    ///
    /// - Parameters:
    ///   - code: The code that came with the message, 16 bytes.
    ///   - message: The whole message.
    ///   - key: The key.
    /// - Returns: Whether it does; never for a code of another length.
    @inlinable
    public static func isValid(
        _ code: some Collection<UInt8>,
        authenticating message: some Collection<UInt8>,
        using key: Key
    ) -> Bool {
        ConstantTime.areEqual(code, authenticationCode(for: message, using: key))
    }
}
