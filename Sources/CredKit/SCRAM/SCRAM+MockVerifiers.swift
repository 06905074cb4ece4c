// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// Verifiers for users who do not exist, so that a login does not show who does. The same name always gets the same salt
    /// and number of iterations.
    ///
    /// ```swift
    /// let mocks = try SCRAM.MockVerifiers(
    ///     key: key,                                              // kept as long as the table, and secret
    ///     kinds: [.init(iterations: 600_000, count: 90_000), .init(iterations: 4096, count: 10_000)]
    /// )
    /// ```
    ///
    /// Numbers of iterations, sizes of salts and subjects are drawn in the shares of `kinds`. Count the table's when the key is
    /// made, and keep both together: a name whose salt changes does not exist.
    public struct MockVerifiers: Sendable {
        /// A kind of verifier in the table.
        public struct Kind: Sendable, Hashable {
            /// The hash function.
            public var hashFunction: HashFunction
            /// The number of iterations.
            public var iterations: Int
            /// The size of the salt in bytes, 1 to 255.
            public var saltByteCount: Int
            /// What the verifiers are made of.
            public var subject: VerifierSubject
            /// How many the table has of it, at least 1.
            public var count: Int

            /// Creates a kind.
            ///
            /// - Parameters:
            ///   - hashFunction: The hash function.
            ///   - iterations: The number of iterations.
            ///   - saltByteCount: The size of the salt in bytes, 1 to 255.
            ///   - subject: What the verifiers are made of.
            ///   - count: How many the table has of it, at least 1.
            public init(
                hashFunction: HashFunction = .sha256,
                iterations: Int,
                saltByteCount: Int = 16,
                subject: VerifierSubject = .password,
                count: Int = 1
            ) {
                self.hashFunction = hashFunction
                self.iterations = iterations
                self.saltByteCount = saltByteCount
                self.subject = subject
                self.count = count
            }
        }

        private let key: HMAC<SHA256>.Key
        private let kinds: [Kind]
        private let total: UInt64

        /// Creates the mocks of a table.
        ///
        /// - Parameters:
        ///   - key: The key, at least 32 bytes, secret, and kept as long as the table.
        ///   - kinds: The kinds of verifiers in the table, at least one.
        /// - Throws: ``SCRAM/Error/overLimit`` for a value outside its range.
        public init(key: SecretBytes, kinds: [Kind]) throws(SCRAM.Error) {
            guard key.count >= 32 else {
                throw .overLimit("the key of mock verifiers must have at least 32 bytes")
            }
            guard !kinds.isEmpty else { throw .overLimit("mock verifiers need at least one kind") }
            for kind in kinds {
                guard 1...1 << 32 ~= kind.count, 1...255 ~= kind.saltByteCount,
                    1...Int(Int32.max) ~= kind.iterations, kind.hashFunction != .sha1
                else { throw .overLimit("a kind of mock verifiers has a value outside its range") }
            }
            self.key = HMAC<SHA256>.Key(key)
            self.kinds = kinds
            total = kinds.reduce(0) { $0 &+ UInt64(clamping: $1.count) }
        }

        /// Returns the verifier of a name, which no password matches, and what it claims to be made of. It takes the same time
        /// for all names.
        ///
        /// - Parameter name: The name.
        /// - Returns: The verifier and its subject.
        public func verifier(for name: String) -> (verifier: Verifier, subject: VerifierSubject) {
            let draw = code("kind", name).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            // The bias of the remainder is below 2⁻³⁰.
            var rest = draw % max(total, 1)
            var kind = kinds[0]
            for candidate in kinds {
                kind = candidate
                guard rest >= UInt64(clamping: candidate.count) else { break }
                rest -= UInt64(clamping: candidate.count)
            }
            let count = kind.hashFunction.digestByteCount
            let verifier = Verifier(
                hashFunction: kind.hashFunction,
                iterations: kind.iterations,
                salt: bytes("salt", name, count: kind.saltByteCount),
                storedKey: bytes("stored key", name, count: count),
                serverKey: bytes("server key", name, count: count),
                preparation: nil
            )
            return (verifier, kind.subject)
        }

        private func bytes(_ purpose: String, _ name: String, count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            var part = 0
            while bytes.count < count {
                bytes += code("\(purpose) \(part)", name)
                part += 1
            }
            return Array(bytes.prefix(count))
        }

        private func code(_ purpose: String, _ name: String) -> [UInt8] {
            let message = Array("credkit scram mock \(purpose)".utf8) + [0] + name.utf8
            return Array(HMAC<SHA256>.authenticationCode(for: message.span, using: key))
        }
    }
}
