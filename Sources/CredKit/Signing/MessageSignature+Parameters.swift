// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// What a signer says of a signature, in the order in which it was written.
    ///
    /// Setting a parameter that exists keeps its position; a new one is appended.
    public struct Parameters: Hashable, Sendable {
        /// The parameters as in the field.
        public private(set) var values: StructuredField.Parameters = [:]

        /// Creates parameters, in the order of the arguments.
        ///
        /// - Parameters:
        ///   - created: When the signature was made.
        ///   - expires: From when on it is not valid.
        ///   - keyID: The name of the key, printable ASCII.
        ///   - nonce: A text that no other signature with this key has, printable ASCII.
        ///   - algorithm: The algorithm. It is not needed: the key determines it.
        ///   - tag: What the signature is for, printable ASCII.
        public init(
            created: UnixTime? = nil,
            expires: UnixTime? = nil,
            keyID: String? = nil,
            nonce: String? = nil,
            algorithm: Algorithm? = nil,
            tag: String? = nil
        ) {
            self.created = created
            self.expires = expires
            self.keyID = keyID
            self.nonce = nonce
            self.algorithmName = algorithm?.rawValue
            self.tag = tag
        }

        /// Reads the parameters of a field.
        ///
        /// - Parameter values: The parameters.
        /// - Throws: ``MessageSignature/Error`` if one is unknown, has the wrong type, or is too long.
        public init(_ values: StructuredField.Parameters) throws(Error) {
            try values.withEntries { entries throws(Error) in
                for index in entries.indices { try Self.validate(entries[index].key, entries[index].value) }
            }
            self.values = values
        }

        @inline(__always)
        private static func validate(_ key: String, _ value: StructuredField.BareItem) throws(Error) {
            switch true {
            case key.hasBytes(of: "created"), key.hasBytes(of: "expires"):
                guard case .integer(let time) = value else { throw wrongType(key) }
                guard time >= 0 else { throw .malformedField("'\(key)' is negative") }
            case key.hasBytes(of: "keyid"), key.hasBytes(of: "nonce"), key.hasBytes(of: "tag"),
                key.hasBytes(of: "alg"):
                guard case .string(let text) = value else { throw wrongType(key) }
                guard text.utf8.count <= maximumTextByteCount else {
                    throw .limitExceeded("the parameter '\(key)'")
                }
            default:
                throw .malformedField("a parameter of the signature is unknown")
            }
        }

        private static func wrongType(_ key: String) -> Error {
            .malformedField("'\(key)' has the wrong type")
        }

        /// When the signature was made.
        public var created: UnixTime? {
            get { values["created"]?.integerValue.map { UnixTime($0) } }
            set { values["created"] = newValue.map { .integer($0.seconds) } }
        }

        /// From when on the signature is not valid.
        public var expires: UnixTime? {
            get { values["expires"]?.integerValue.map { UnixTime($0) } }
            set { values["expires"] = newValue.map { .integer($0.seconds) } }
        }

        /// A text that no other signature with this key has.
        public var nonce: String? {
            get { values["nonce"]?.stringValue }
            set { values["nonce"] = newValue.map { .string($0) } }
        }

        /// The name of the algorithm.
        public var algorithmName: String? {
            get { values["alg"]?.stringValue }
            set { values["alg"] = newValue.map { .string($0) } }
        }

        /// The name of the key.
        public var keyID: String? {
            get { values["keyid"]?.stringValue }
            set { values["keyid"] = newValue.map { .string($0) } }
        }

        /// What the signature is for.
        public var tag: String? {
            get { values["tag"]?.stringValue }
            set { values["tag"] = newValue.map { .string($0) } }
        }
    }
}
