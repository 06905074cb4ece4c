// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// HMAC-MD5 ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)): 16 bytes that only holders of the key can make
    /// and check.
    ///
    /// ```swift
    /// let key = Legacy.HMACMD5.Key("84143")                       // prepared once, used many times
    /// let code = Legacy.HMACMD5.authenticationCode(for: "hashcat".utf8, using: key)
    /// code.hex                                                    // "7f51edecfa6fb401a0b5e63d33fc8c0e"
    /// Legacy.HMACMD5.isValid(code, authenticating: "hashcat".utf8, using: key)    // true
    /// ```
    ///
    /// > Warning: As a message authentication code HMAC-MD5 is not broken (RFC 6151), but no new design should use
    /// > it: use HMAC-SHA256. As a way to store passwords, with the key as the salt, it is as weak as ``MD5``: an
    /// > attacker with the table and the key makes 10¹⁰ guesses a second. Use Argon2id.
    public struct HMACMD5: Sendable, CustomStringConvertible, CustomReflectable {
        /// A key with precomputed states. Copies share them, and they are wiped with the last copy.
        public struct Key: Sendable, CustomStringConvertible, CustomReflectable {
            let prepared: HMAC<MD5>.Key

            /// Prepares a key.
            ///
            /// - Parameter secret: The key, of any length. The bytes of text are its UTF-8. Keys longer than 64 bytes
            ///   are hashed first, as RFC 2104 requires.
            public init(_ secret: some SecretInput) {
                prepared = HMAC<MD5>.Key(secret)
            }

            init(_ bytes: Span<UInt8>) {
                prepared = HMAC<MD5>.Key(bytes)
            }

            /// `‹redacted›`, never the key.
            public var description: String { "‹redacted›" }

            /// A mirror without children: dumping a key reveals nothing of it.
            public var customMirror: Mirror { Mirror(self, children: []) }
        }

        private var code: HMAC<MD5>

        /// Creates a computation for an empty message.
        ///
        /// - Parameter key: The key.
        public init(key: Key) {
            code = HMAC(key: key.prepared)
        }

        /// Appends bytes to the message.
        ///
        /// - Parameter bytes: The next bytes, any number of them.
        public mutating func update(_ bytes: Span<UInt8>) {
            code.update(bytes)
        }

        /// Appends bytes to the message.
        ///
        /// - Parameter data: The next bytes; an array, a `String.UTF8View` …
        @inlinable
        public mutating func update(data: some Collection<UInt8>) {
            data.withContiguousSpan { update($0) }
        }

        /// Returns the code of the message so far. More bytes can be appended afterwards.
        ///
        /// - Returns: The code.
        public func finalize() -> MessageDigest<16> {
            code.finalize()
        }

        /// Returns the code of the message and wipes the state, for messages that are secret. The value must not be
        /// used afterwards.
        ///
        /// - Returns: The code.
        public mutating func finalizeAndWipe() -> MessageDigest<16> {
            code.finalizeAndWipe()
        }

        /// The name, without the message.
        public var description: String { code.description }

        /// A mirror without children: dumping a computation reveals nothing of key and message.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension Legacy.HMACMD5 {
    /// Returns the code of a message.
    ///
    /// - Parameters:
    ///   - message: The whole message.
    ///   - key: The key.
    /// - Returns: The code.
    public static func authenticationCode(for message: Span<UInt8>, using key: Key) -> MessageDigest<16> {
        HMAC<Legacy.MD5>.code(of: message, using: key.prepared)
    }

    /// Returns the code of a message.
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

    /// Returns the code of a password, read in place.
    ///
    /// - Parameters:
    ///   - password: The password. The bytes of text are its UTF-8, NUL included.
    ///   - key: The key.
    /// - Returns: The code; ``MessageDigest/hex`` is the text that tables store.
    public static func authenticationCode(
        forPassword password: some SecretInput,
        using key: Key
    ) -> MessageDigest<16> {
        password.withSecretBytes { authenticationCode(for: $0, using: key) }
    }

    /// Returns whether a code is valid for a message. The time of the comparison does not depend on where they
    /// differ.
    ///
    /// - Parameters:
    ///   - code: The code that came with the message, 16 bytes.
    ///   - message: The whole message.
    ///   - key: The key.
    /// - Returns: Whether it is valid; always `false` for a code of another length.
    @inlinable
    public static func isValid(
        _ code: some Collection<UInt8>,
        authenticating message: some Collection<UInt8>,
        using key: Key
    ) -> Bool {
        ConstantTime.areEqual(code, authenticationCode(for: message, using: key))
    }
}

extension Legacy.HMACMD5 {
    /// Returns the codes (RFC 2104) of many messages under one key, computed sixteen at once.
    ///
    /// With AVX-512 or AVX2, sixteen or more messages of similar lengths take a fifth of the time of single calls.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for its weaknesses as a way to store passwords.
    ///
    /// - Parameters:
    ///   - messages: The messages, any number of any lengths; arrays, `String.UTF8View`s …
    ///   - key: The key.
    /// - Returns: One code per message, in their order.
    @inlinable
    public static func authenticationCodes<Message: Collection<UInt8>>(
        for messages: some Collection<Message>,
        using key: Key
    ) -> [MessageDigest<16>] {
        MD5Batch(key: key).digests(of: messages, by: CollectionAccess<Message>.self)
    }

    /// Returns the codes (RFC 2104) of many passwords under one key, computed sixteen at once, each read in place.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for its weaknesses as a way to store passwords.
    ///
    /// - Parameters:
    ///   - passwords: The passwords, any number of them. The bytes of text are its UTF-8, NUL included.
    ///   - key: The key.
    /// - Returns: One code per password, in their order; ``MessageDigest/hex`` is the text that tables store.
    public static func authenticationCodes<Password: SecretInput>(
        forPasswords passwords: some Collection<Password>,
        using key: Key
    ) -> [MessageDigest<16>] {
        MD5Batch(key: key).digests(of: passwords, by: SecretAccess<Password>.self)
    }

    /// Computes the codes (RFC 2104) of many messages that are stored contiguously, sixteen at once, without
    /// allocating memory.
    ///
    /// With AVX-512 or AVX2, sixteen or more messages of similar lengths take a fifth to a tenth of the time of
    /// single calls.
    ///
    /// > Warning: See ``Legacy/HMACMD5`` for its weaknesses as a way to store passwords.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - ends: The end offset of each message. The first message begins at 0, each other at the end of the previous
    ///     one; an empty message ends where it begins. An offset that is smaller than the previous one or larger than
    ///     the number of bytes is a programming error and stops the process.
    ///   - key: The key.
    ///   - codes: Receives one code per message, in their order. Its free capacity must be at least the number of
    ///     messages; less is a programming error and stops the process.
    public static func authenticate(
        _ bytes: Span<UInt8>,
        endingAt ends: Span<Int>,
        using key: Key,
        into codes: inout OutputSpan<MessageDigest<16>>
    ) {
        MD5Batch(key: key).hash(bytes, endingAt: ends, into: &codes)
    }
}
