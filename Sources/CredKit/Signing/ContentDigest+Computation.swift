// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension ContentDigest {
    /// The computation of a digest from content that arrives in pieces.
    public struct Computation: Sendable {
        private enum State {
            case sha256(SHA256)
            case sha512(SHA512)
        }

        /// The function.
        public let algorithm: Algorithm
        private var state: State

        /// Creates a computation for no content.
        ///
        /// - Parameter algorithm: The function.
        public init(_ algorithm: Algorithm = .sha256) {
            self.algorithm = algorithm
            state =
                switch algorithm {
                case .sha256: .sha256(SHA256())
                case .sha512: .sha512(SHA512())
                }
        }

        /// Appends a piece of the content.
        ///
        /// - Parameter bytes: The bytes.
        public mutating func update(_ bytes: Span<UInt8>) {
            switch state {
            case .sha256(var function):
                function.update(bytes)
                state = .sha256(function)
            case .sha512(var function):
                function.update(bytes)
                state = .sha512(function)
            }
        }

        /// The digest of the content so far.
        package var digest: [UInt8] {
            switch state {
            case .sha256(let function): function.finalize().bytes
            case .sha512(let function): function.finalize().bytes
            }
        }
    }

    /// A check of content that arrives in pieces against all digests of a field.
    public struct Check: Sendable {
        private let expected: ContentDigest
        private var computations: [Computation]

        /// Creates a check of no content.
        ///
        /// - Parameter expected: The digests of the field.
        public init(_ expected: ContentDigest) {
            self.expected = expected
            computations = expected.algorithms.map { Computation($0) }
        }

        /// Appends a piece of the content.
        ///
        /// - Parameter bytes: The bytes.
        public mutating func update(_ bytes: Span<UInt8>) {
            for index in computations.indices { computations[index].update(bytes) }
        }

        /// Whether all digests are those of the content so far. The time does not depend on where they differ.
        public var isMatch: Bool {
            zip(expected.values, computations).allSatisfy { ConstantTime.areEqual($0.bytes, $1.digest) }
        }
    }
}
