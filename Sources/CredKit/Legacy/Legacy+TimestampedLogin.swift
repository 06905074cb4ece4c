// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// A login that proves knowledge of a password with a value that changes every minute.
    ///
    /// ```swift
    /// let scheme = Legacy.TimestampedLogin(keyPhrase: "school-2012")
    /// scheme.passwordEquivalent(for: "123456").hex     // "fcc5b9baaa4e326a9c0f8ad179b4121d"
    /// scheme.proof(for: "123456", at: try Legacy.TimestampedLogin.Minute("2026-01-02 03:04")).hex
    ///                                                  // "df6ff9280410a655e59140dff08ab234"
    /// ```
    ///
    /// The scheme, where `hex` is lowercase and HMAC stands for HMAC-MD5(key, message):
    ///
    /// | value | computed as | held by |
    /// |---|---|---|
    /// | key | `hex(MD5(key phrase))` | every copy of the client, and the server |
    /// | password-equivalent | `hex(HMAC(key, password))` | the server, which stores it |
    /// | proof | `hex(HMAC(key, password-equivalent + challenge))` | the client, which posts it |
    ///
    /// The challenge is the server's minute, as a ``Minute`` or as the exact text that the server sent.
    ///
    /// > Warning: This protocol avoids sending the password, but provides little other protection.
    /// > - The password-equivalent is sufficient for a login, without the password. It contains neither a salt nor
    /// >   the user's name, so equal passwords are visible, and an attacker makes 10¹⁰ guesses a second: a leaked
    /// >   table is a table of passwords.
    /// > - An intercepted proof can be replayed during its minute, and allows guessing the password offline forever.
    /// > - An attacker who can give the client a false time obtains a proof for a later minute.
    /// > - The key phrase is in every copy of the client: it is a constant of the protocol, not a secret.
    /// >
    /// > It never replaces TLS. New designs send the password over TLS to a server that stores Argon2id hashes, or
    /// > use SCRAM-SHA-256 or OPAQUE.
    public struct TimestampedLogin: Sendable {
        let key: HMACMD5.Key

        /// Creates the scheme with the key phrase of a protocol.
        ///
        /// - Parameter keyPhrase: The phrase that client and server share. The bytes of text are its UTF-8.
        public init(keyPhrase: some SecretInput) {
            key = MD5.hash(secret: keyPhrase).withSecretHex { HMACMD5.Key($0) }
        }

        /// Returns the value that the server stores in place of the password. To an attacker it is as good as the
        /// password.
        ///
        /// - Parameter password: The password. The bytes of text are its UTF-8, NUL included.
        /// - Returns: The value; its text is ``MessageDigest/hex``.
        public func passwordEquivalent(for password: some SecretInput) -> MessageDigest<16> {
            HMACMD5.authenticationCode(forPassword: password, using: key)
        }

        /// Returns the proof that the client posts for a minute.
        ///
        /// - Parameters:
        ///   - password: The password. The bytes of text are its UTF-8, NUL included.
        ///   - minute: The server's minute.
        /// - Returns: The proof; its text is ``MessageDigest/hex``.
        public func proof(for password: some SecretInput, at minute: Minute) -> MessageDigest<16> {
            proof(for: password, challenge: minute.description)
        }

        /// Returns the proof that the client posts for a challenge from the server.
        ///
        /// - Parameters:
        ///   - password: The password. The bytes of text are its UTF-8, NUL included.
        ///   - challenge: The challenge exactly as the server sent it. A server may include a one-time value; a client
        ///     that uses the challenge without checking it proves the password for any time that the sender chose.
        /// - Returns: The proof; its text is ``MessageDigest/hex``.
        public func proof(for password: some SecretInput, challenge: String) -> MessageDigest<16> {
            proof(passwordEquivalent: passwordEquivalent(for: password), challenge: challenge)
        }

        /// Returns the proof that a server expects for a minute.
        ///
        /// - Parameters:
        ///   - passwordEquivalent: The stored password-equivalent.
        ///   - minute: The server's minute.
        /// - Returns: The proof. Compare it with `==`, whose time does not depend on where two differ.
        public func proof(
            passwordEquivalent: MessageDigest<16>,
            at minute: Minute
        ) -> MessageDigest<16> {
            proof(passwordEquivalent: passwordEquivalent, challenge: minute.description)
        }

        /// Returns the proof that a server expects for a challenge that it sent.
        ///
        /// - Parameters:
        ///   - passwordEquivalent: The stored password-equivalent.
        ///   - challenge: The challenge that the server sent.
        /// - Returns: The proof. Compare it with `==`, whose time does not depend on where two differ.
        public func proof(
            passwordEquivalent: MessageDigest<16>,
            challenge: String
        ) -> MessageDigest<16> {
            let byteCount = 2 * passwordEquivalent.count + challenge.utf8.count
            return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { message in
                defer { unsafe Wiping.wipe(message) }
                var rest = UnsafeMutableRawBufferPointer(message)
                passwordEquivalent.withSecretHex { unsafe rest.take($0) }
                challenge.utf8.withContiguousSpan { unsafe rest.take($0) }
                return HMACMD5.authenticationCode(for: unsafe message.span, using: key)
            }
        }
    }
}

extension Legacy.TimestampedLogin {
    /// Returns the proofs that a server expects for several challenges, any of which the client may have used: up to
    /// sixteen proofs in the time of two or three.
    ///
    /// - Parameters:
    ///   - passwordEquivalent: The stored password-equivalent.
    ///   - challenges: The challenges.
    /// - Returns: One proof per challenge, in their order. Compare them with `==`, whose time does not depend on
    ///   where two differ. A proof for a future minute is valid for login when that minute comes.
    public func proofs(
        passwordEquivalent: MessageDigest<16>,
        challenges: [String]
    ) -> [MessageDigest<16>] {
        withProofs(passwordEquivalent: passwordEquivalent, Challenges(challenges)) { proofs in
            proofs.indices.map { proofs[$0] }
        }
    }

    /// Parses a proof that a client posted; returns `nil` unless it is 32 hexadecimal digits, in either case.
    package static func proof(hex text: String) -> MessageDigest<16>? {
        text.withSecretBytes { MessageDigest<16>(hexDigits: $0) }
    }

    /// Texts of challenges in one piece, so that hashing them counts no references to each.
    package struct Challenges: Sendable {
        fileprivate let bytes: [UInt8]
        /// The end of each text.
        fileprivate let ends: [Int]

        /// Joins texts.
        package init(_ texts: [String]) {
            var bytes: [UInt8] = []
            var ends: [Int] = []
            for text in texts {
                bytes.append(contentsOf: text.utf8)
                ends.append(bytes.count)
            }
            self.bytes = bytes
            self.ends = ends
        }
    }

    /// Finds the challenge that a proof was made for. All proofs are computed and compared, whichever of them
    /// matches.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - passwordEquivalent: The stored password-equivalent.
    ///   - challenges: The challenges.
    /// - Returns: The index of the challenge, the last one of equal challenges; `nil` if the proof was made for none
    ///   of them.
    package func index(
        ofProof proof: MessageDigest<16>,
        passwordEquivalent: MessageDigest<16>,
        among challenges: Challenges
    ) -> Int? {
        withProofs(passwordEquivalent: passwordEquivalent, challenges) { proofs in
            var match: Int?
            for index in proofs.indices where proofs[index] == proof { match = index }
            return match
        }
    }

    /// Calls `body` with the proofs for several challenges, and wipes them afterwards.
    private func withProofs<Result>(
        passwordEquivalent: MessageDigest<16>,
        _ challenges: Challenges,
        _ body: (Span<MessageDigest<16>>) -> Result
    ) -> Result {
        let count = challenges.ends.count
        let byteCount = challenges.bytes.count + count * 2 * passwordEquivalent.count
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { messages in
            defer { unsafe Wiping.wipe(messages) }
            return unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { ends in
                var rest = UnsafeMutableRawBufferPointer(messages)
                passwordEquivalent.withSecretHex { equivalent in
                    var start = 0
                    for index in 0..<count {
                        let end = challenges.ends[index]
                        unsafe rest.take(equivalent)
                        unsafe rest.take(challenges.bytes.span.extracting(start..<end))
                        unsafe ends.initializeElement(at: index, to: byteCount - rest.count)
                        start = end
                    }
                }
                return unsafe withProofs(of: messages.span, endingAt: ends.span, body)
            }
        }
    }

    private func withProofs<Result>(
        of messages: Span<UInt8>,
        endingAt ends: Span<Int>,
        _ body: (Span<MessageDigest<16>>) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: MessageDigest<16>.self, capacity: ends.count) { memory in
            defer {
                unsafe UnsafeMutableRawBufferPointer(memory).withMemoryRebound(to: UInt8.self, Wiping.wipe)
            }
            var proofs = unsafe OutputSpan(buffer: memory, initializedCount: 0)
            Legacy.HMACMD5.authenticate(messages, endingAt: ends, using: key, into: &proofs)
            _ = unsafe proofs.finalize(for: memory)
            return body(unsafe memory.span)
        }
    }
}
