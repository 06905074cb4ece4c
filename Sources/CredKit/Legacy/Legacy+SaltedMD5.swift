// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy {
    /// MD5 of a password and a salt, as in login tables of the 2000s; with an empty salt also plain and repeated MD5.
    ///
    /// ```swift
    /// Legacy.SaltedMD5(salt: "shop").hash("secret").hex              // md5("secretshop")
    /// try Legacy.SaltedMD5(salt: "", rounds: 2).hash("secret").hex   // md5(hex(md5("secret")))
    /// ```
    ///
    /// > Warning: A graphics card tries more than 10¹⁰ passwords a second. If all users have the same salt, it tries
    /// > each password against the whole table at once, and a few repetitions of the hash change nothing. Use
    /// > Argon2id, and migrate an existing table to it.
    public struct SaltedMD5: Sendable {
        /// The position of the salt.
        public enum SaltPosition: Sendable, Hashable {
            /// The salt follows the password.
            case suffix
            /// The salt precedes the password.
            case prefix
        }

        /// The maximum number of rounds: some 0.25 s of work, and far more than any known table uses.
        public static let maximumRounds = 1_000_000

        /// The error when the number of rounds is not from 1 to ``maximumRounds``.
        public struct RoundsError: Error, Sendable, Equatable, CustomStringConvertible {
            /// The requested number of rounds.
            public let rounds: Int

            /// A description for people.
            public var description: String {
                "the number of rounds is \(rounds), but must be from 1 to \(maximumRounds)"
            }
        }

        let salt: [UInt8]
        let position: SaltPosition
        let rounds: Int

        /// Creates the scheme with one round.
        ///
        /// - Parameters:
        ///   - salt: The salt, any number of bytes. The bytes of text are its UTF-8.
        ///   - position: The position of the salt.
        public init(salt: some SecretInput, position: SaltPosition = .suffix) {
            self.salt = salt.withSecretBytes { salt in salt.indices.map { salt[$0] } }
            self.position = position
            rounds = 1
        }

        /// Creates the scheme with several rounds: each round after the first hashes the 32 lowercase hexadecimal
        /// digits of the round before, without the salt.
        ///
        /// - Parameters:
        ///   - salt: The salt, any number of bytes. The bytes of text are its UTF-8.
        ///   - position: The position of the salt.
        ///   - rounds: The number of rounds, from 1 to ``maximumRounds``.
        /// - Throws: ``RoundsError`` if the number of rounds is outside that range.
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

        /// Returns the hash of a password, read in place.
        ///
        /// - Parameter password: The password. The bytes of text are its UTF-8, NUL included.
        /// - Returns: The hash; ``MessageDigest/hex`` is the text that tables store.
        public func hash(_ password: some SecretInput) -> MessageDigest<16> {
            password.withSecretBytes { hash(span: $0) }
        }

        func hash(span password: Span<UInt8>) -> MessageDigest<16> {
            MD5.saltedHash(of: password, salt: salt, isPrefix: position == .prefix, rounds: rounds)
        }
    }
}
