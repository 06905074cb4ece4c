// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// A signature that a peer asks for, in the field `Accept-Signature` (RFC 9421 §5.1).
    public struct Requested: Hashable, Sendable {
        /// The name that the signature must have.
        public let label: String
        /// The components to cover, in order.
        public let components: [Component]
        /// Whether the signature must say when it was made.
        public let wantsCreated: Bool
        /// Whether the signature must say when it expires.
        public let wantsExpires: Bool
        /// The nonce to use.
        public let nonce: String?
        /// The name of the algorithm to use.
        public let algorithmName: String?
        /// The name of the key to use.
        public let keyID: String?
        /// What the signature must be for.
        public let tag: String?

        /// Reads the field `Accept-Signature`.
        ///
        /// - Parameter lines: The values of all lines with this name, in order.
        /// - Returns: The signatures that are asked for, in order.
        /// - Throws: ``Error`` if the field is malformed, repeats something, or exceeds a limit.
        public static func all(fieldLines lines: [String]) throws(Error) -> [Requested] {
            let joined = Array(lines.joined(separator: ", ").utf8.prefix(maximumFieldByteCount + 1))
            guard joined.count <= maximumFieldByteCount else { throw .limitExceeded("Accept-Signature") }
            let members = try uniqueDictionary(joined, "accept-signature")
            guard members.count <= maximumSignatureCount else { throw .limitExceeded("signatures") }
            var all: [Requested] = []
            for (label, member) in members { all.append(try Requested(label, member)) }
            return all
        }

        private init(_ label: String, _ member: StructuredField.Member) throws(Error) {
            guard case .innerList(let list) = member else {
                throw .malformedField("a member of Accept-Signature is not a list")
            }
            guard label.utf8.count <= maximumTextByteCount else { throw .limitExceeded("a label") }
            var texts = list.parameters
            for name in ["created", "expires"] {
                guard [nil, .boolean(true)].contains(texts[name]) else {
                    throw .malformedField("'\(name)' has a value")
                }
                texts[name] = nil
            }
            let input = try Input(.init(list.items, parameters: texts))
            self.label = label
            components = input.components
            wantsCreated = list.parameters["created"] != nil
            wantsExpires = list.parameters["expires"] != nil
            nonce = input.parameters.nonce
            algorithmName = input.parameters.algorithmName
            keyID = input.parameters.keyID
            tag = input.parameters.tag
        }
    }
}
