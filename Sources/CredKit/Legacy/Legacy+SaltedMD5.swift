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

extension Legacy.SaltedMD5 {
    /// The number of passwords per batch: enough for all lanes, with little memory.
    private static let passwordsAtOnce = 64

    /// Returns the hashes of many passwords, computed sixteen at once: for instance to find known passwords in a
    /// table with one salt for all users.
    ///
    /// With AVX-512 or AVX2, sixteen or more passwords take a fifth or less of the time of single calls.
    ///
    /// > Warning: See ``Legacy/SaltedMD5`` for how weak these hashes are. This function is as fast for an attacker
    /// > who has stolen the table as for its owner.
    ///
    /// - Parameter passwords: The passwords, any number of them. The bytes of text are its UTF-8, NUL included.
    /// - Returns: One hash per password, in their order; ``MessageDigest/hex`` is the text that tables store.
    public func hashes(of passwords: some Collection<some SecretInput>) -> [MessageDigest<16>] {
        [MessageDigest<16>](capacity: passwords.count) { hashes in
            var rest = passwords[...]
            while !rest.isEmpty {
                let first = rest.prefix(Self.passwordsAtOnce)
                hash(first, into: &hashes)
                rest = rest.dropFirst(first.count)
            }
        }
    }

    private func hash(
        _ passwords: some Collection<some SecretInput>,
        into hashes: inout OutputSpan<MessageDigest<16>>
    ) {
        let byteCount = passwords.reduce(0) { $0 + salt.count + $1.withSecretBytes { $0.count } }
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { memory in
            defer { unsafe Wiping.wipe(memory) }
            var ends: [Int] = []
            ends.reserveCapacity(passwords.count)
            var rest = UnsafeMutableRawBufferPointer(memory)
            for password in passwords {
                if position == .prefix { unsafe rest.take(salt.span) }
                password.withSecretBytes { unsafe rest.take($0) }
                if position == .suffix { unsafe rest.take(salt.span) }
                ends.append(byteCount - rest.count)
            }
            if rounds == 1 {
                unsafe MD5Batch().hash(memory.span, endingAt: ends.span, into: &hashes)
            } else {
                unsafe repeatedly(memory.span, endingAt: ends.span, into: &hashes)
            }
        }
    }

    /// Hashes in several rounds, each of which hashes the hexadecimal digits of the round before.
    private func repeatedly(
        _ bytes: Span<UInt8>,
        endingAt ends: Span<Int>,
        into hashes: inout OutputSpan<MessageDigest<16>>
    ) {
        let count = ends.count
        let digitCount = 2 * Legacy.MD5.digestByteCount
        let digitEnds = (1...max(1, count)).map { $0 * digitCount }
        unsafe withUnsafeTemporaryAllocation(of: MessageDigest<16>.self, capacity: count) { digests in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * digitCount) { digits in
                let digestBytes = UnsafeMutableRawBufferPointer(digests)
                defer {
                    unsafe Wiping.wipe(digits)
                    unsafe digestBytes.withMemoryRebound(to: UInt8.self) { unsafe Wiping.wipe($0) }
                }
                var output = unsafe OutputSpan(buffer: digests, initializedCount: 0)
                MD5Batch().hash(bytes, endingAt: ends, into: &output)
                _ = unsafe output.finalize(for: digests)
                for round in 1..<rounds {
                    var text = unsafe OutputSpan(buffer: digits, initializedCount: 0)
                    unsafe digestBytes.withMemoryRebound(to: UInt8.self) {
                        unsafe Hex.encode($0.span, into: &text)
                    }
                    _ = unsafe text.finalize(for: digits)
                    if round == rounds - 1 {
                        unsafe MD5Batch().hash(digits.span, endingAt: digitEnds.span, into: &hashes)
                    } else {
                        var output = unsafe OutputSpan(buffer: digests, initializedCount: 0)
                        unsafe MD5Batch().hash(digits.span, endingAt: digitEnds.span, into: &output)
                        _ = unsafe output.finalize(for: digests)
                    }
                }
            }
        }
    }
}
