// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// Why a message cannot be signed, or a signature not be read.
    ///
    /// Errors are equal if their codes are equal. They contain names of components, and no values.
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        /// What went wrong.
        public struct Code: Hashable, Sendable {
            private enum Value {
                case malformed, component, missing, value, repeated, limit, noComponents, key, memory,
                    argument
            }

            private let value: Value

            /// A field or a parameter is malformed, or a parameter is unknown.
            public static let malformedField = Self(value: .malformed)
            /// A component's name or its parameters are invalid or unsupported.
            public static let invalidComponent = Self(value: .component)
            /// The message has no such component.
            public static let missingComponent = Self(value: .missing)
            /// The value of a component cannot be signed.
            public static let invalidValue = Self(value: .value)
            /// A component, label or parameter occurs twice.
            public static let repeated = Self(value: .repeated)
            /// A limit of ``MessageSignature`` is exceeded.
            public static let limitExceeded = Self(value: .limit)
            /// A signature would cover nothing.
            public static let noComponents = Self(value: .noComponents)
            /// A key is malformed, too short, or of another kind than its algorithm needs.
            public static let invalidKey = Self(value: .key)
            /// There is not enough memory, or no guarded memory left, for a key or a signature.
            public static let outOfMemory = Self(value: .memory)
            /// A signer or verifier cannot be used with a duration, a nonce or a name.
            public static let invalidArgument = Self(value: .argument)
        }

        /// What went wrong.
        public let code: Code
        /// What failed, and why, for people. It is printable ASCII.
        public let message: String

        init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        static func malformedField(_ reason: String) -> Self { .init(.malformedField, reason) }

        static func invalidComponent(_ component: String, _ reason: String) -> Self {
            .init(.invalidComponent, "component \(quoted(component)): \(reason)")
        }

        static func missingComponent(_ component: String) -> Self {
            .init(.missingComponent, "the message has no component \(quoted(component))")
        }

        static func invalidValue(_ component: String, _ reason: String) -> Self {
            .init(.invalidValue, "component \(quoted(component)): \(reason)")
        }

        /// A name that a peer has chosen must not pass for another part of a message or of a log: everything but letters,
        /// digits and `-._@` is replaced, and it is shortened.
        static func quoted(_ name: String) -> String {
            let limit = 64
            let safe = name.utf8.prefix(limit).map { byte in
                StructuredField.Characters.isKey(byte) && byte != UInt8(ascii: "*")
                    || byte == UInt8(ascii: "@")
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte : UInt8(ascii: "?")
            }
            return "'\(String(decoding: safe, as: UTF8.self))\(name.utf8.count > limit ? "..." : "")'"
        }

        static func repeated(_ what: String) -> Self { .init(.repeated, "\(what) occurs twice") }

        static func limitExceeded(_ what: String) -> Self {
            .init(.limitExceeded, "too long or too many: \(what)")
        }

        static func invalidKey(_ reason: String) -> Self { .init(.invalidKey, reason) }

        static var outOfMemory: Self {
            .init(.outOfMemory, "there is no memory left for a key or a signature")
        }

        static func invalidArgument(_ reason: String) -> Self { .init(.invalidArgument, reason) }

        /// Returns whether both errors have the same code; their messages may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// The message.
        public var description: String { message }
    }
}
