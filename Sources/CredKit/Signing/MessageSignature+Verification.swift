// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// The result of verifying a message.
    public enum Verification: Sendable {
        /// A signature meets the policy.
        case valid(Accepted)
        /// There is no such signature.
        case invalid(Refusal)
    }

    /// A signature that meets the policy of a ``Verifier``.
    public struct Accepted: Sendable, Hashable {
        /// The name in the fields. The signature does not cover it.
        public let label: String
        /// The name of the key.
        public let keyID: String
        /// The algorithm of the key.
        public let algorithm: Algorithm
        /// When the signature was made.
        public let created: UnixTime
        /// From when on the verifier refuses the signature. Until then the nonce must be remembered.
        public let validUntil: UnixTime
        /// The text that no other signature with this key has. Names of keys and nonces of different keys are
        /// independent: remember both.
        public let nonce: String?
        /// What the signature is for.
        public let tag: String?
        /// What the signature covers, in order.
        public let components: [Component]
    }

    /// Why a message was not accepted, for logs. Tell the peer nothing of it.
    public struct Refusal: Swift.Error, Sendable, Hashable, CustomStringConvertible {
        /// The kind of a reason.
        public struct Code: Hashable, Sendable {
            private enum Value {
                case unsigned, malformed, limit, tag, parameter, future, old, expired, coverage, key,
                    algorithm
                case component, signature
            }

            private let value: Value

            /// The message has no signature.
            public static let unsigned = Self(value: .unsigned)
            /// A field is malformed, repeats something, or contains something unknown.
            public static let malformed = Self(value: .malformed)
            /// A limit of ``MessageSignature`` is exceeded.
            public static let limitExceeded = Self(value: .limit)
            /// The signature is for something else.
            public static let wrongTag = Self(value: .tag)
            /// A parameter that the policy requires is missing.
            public static let missingParameter = Self(value: .parameter)
            /// The signature was made in the future.
            public static let createdInFuture = Self(value: .future)
            /// The signature is older than the policy allows.
            public static let tooOld = Self(value: .old)
            /// The signature has expired.
            public static let expired = Self(value: .expired)
            /// The signature does not cover a required component.
            public static let notCovered = Self(value: .coverage)
            /// There is no key with this name.
            public static let unknownKey = Self(value: .key)
            /// The algorithm that the signature names is not that of the key.
            public static let wrongAlgorithm = Self(value: .algorithm)
            /// The message lacks a covered component, or its value cannot be signed.
            public static let invalidComponent = Self(value: .component)
            /// The signature is wrong.
            public static let invalidSignature = Self(value: .signature)
        }

        /// The kind of the reason.
        public let code: Code
        /// The reason for people, in printable ASCII, without values of the message.
        public let message: String

        package init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        init(_ error: Error) {
            switch error.code {
            case .limitExceeded: self.init(.limitExceeded, error.message)
            case .missingComponent, .invalidValue, .invalidComponent:
                self.init(.invalidComponent, error.message)
            default: self.init(.malformed, error.message)
            }
        }

        /// Calls `body`, and turns its error into a reason.
        static func wrapping<Value>(_ body: () throws(Error) -> Value) throws(Refusal) -> Value {
            do throws(Error) {
                return try body()
            } catch {
                throw Refusal(error)
            }
        }

        /// The reason for people.
        public var description: String { message }
    }
}
