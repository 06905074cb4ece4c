// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// MD5 of a password and a salt, as login tables of the 2000s have it; plain and repeated MD5 too, with an
    /// empty salt.
    ///
    /// ```swift
    /// Legacy.SaltedMD5(salt: "shop").hash("secret").hex              // md5("secretshop")
    /// try Legacy.SaltedMD5(salt: "", rounds: 2).hash("secret").hex   // md5(hex(md5("secret")))
    /// ```
    ///
    /// > Warning: A graphics card tries more than 10¹⁰ passwords a second. A salt that is the same for all
    /// > users lets it try them against the whole table at once, and repeating the hash a few times changes
    /// > nothing. Use Argon2id, and take an existing table there.
    public struct SaltedMD5: Sendable {
        /// Where the salt stands.
        public enum SaltPosition: Sendable, Hashable {
            /// The salt follows the password.
            case suffix
            /// The salt precedes the password.
            case prefix
        }

        /// The most rounds that are accepted: some 0.25 s of work, and far more than any table is known to have.
        public static let maximumRounds = 1_000_000

        /// The number of rounds is not from 1 to ``maximumRounds``.
        public struct RoundsError: Error, Sendable, Equatable, CustomStringConvertible {
            /// The rounds that were asked for.
            public let rounds: Int

            /// A sentence for people.
            public var description: String {
                "the number of rounds is \(rounds), but must be from 1 to \(maximumRounds)"
            }
        }

        let salt: [UInt8]
        let position: SaltPosition
        let rounds: Int

        /// The scheme with one round.
        ///
        /// - Parameters:
        ///   - salt: The salt, any number of bytes; of text its UTF-8.
        ///   - position: Where the salt stands.
        public init(salt: some SecretInput, position: SaltPosition = .suffix) {
            self.salt = salt.withSecretBytes { salt in salt.indices.map { salt[$0] } }
            self.position = position
            rounds = 1
        }

        /// The scheme with repeats: each round after the first hashes the 32 lowercase hexadecimal digits of
        /// the round before, without the salt.
        ///
        /// - Parameters:
        ///   - salt: The salt, any number of bytes; of text its UTF-8.
        ///   - position: Where the salt stands.
        ///   - rounds: The number of rounds, from 1 to ``maximumRounds``.
        /// - Throws: ``RoundsError`` when it is outside that range.
        public init(
            salt: some SecretInput,
            position: SaltPosition = .suffix,
            rounds: Int
        ) throws(RoundsError) {
            guard (1...Self.maximumRounds).contains(rounds) else { throw RoundsError(rounds: rounds) }
            self.salt = salt.withSecretBytes { salt in salt.indices.map { salt[$0] } }
            self.position = position
            self.rounds = rounds
        }

        /// The scheme with rounds that were checked before.
        init(saltBytes: [UInt8], isPrefix: Bool, rounds: Int) {
            salt = saltBytes
            position = isPrefix ? .prefix : .suffix
            self.rounds = rounds
        }

        /// The hash of a password, read in place.
        ///
        /// - Parameter password: The password; of text its UTF-8, NUL included.
        /// - Returns: The hash; ``MessageDigest/hex`` is the text that tables hold.
        public func hash(_ password: some SecretInput) -> MessageDigest<16> {
            password.withSecretBytes { hash(span: $0) }
        }

        func hash(span password: Span<UInt8>) -> MessageDigest<16> {
            var function = MD5()
            if position == .prefix { function.update(salt.span) }
            function.update(password)
            if position == .suffix { function.update(salt.span) }
            var digest = function.finalizeAndWipe()
            for _ in 1..<rounds {
                digest = digest.withSecretHex { MD5.hash(secret: $0) }
            }
            return digest
        }
    }
}
