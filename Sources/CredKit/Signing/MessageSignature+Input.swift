// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// What a signature covers, and what its signer says of it: a member of the field `Signature-Input`.
    public struct Input: Hashable, Sendable {
        /// The components, in order. Each occurs once.
        public let components: [Component]
        /// What the signer says of the signature.
        public let parameters: Parameters
        /// The input as it stands in the field and in the signature base.
        let text: [UInt8]

        /// Creates the input of a signature.
        ///
        /// - Parameters:
        ///   - components: The components, in order.
        ///   - parameters: What to say of the signature.
        /// - Throws: ``Error`` if a component occurs twice or is that of no message, there are too many, or a parameter
        ///   cannot be written.
        public init(_ components: [Component], parameters: Parameters) throws(Error) {
            // `ofRequest` makes components of any others.
            for component in components where !component.parameters.isEmpty { try component.validate() }
            try self.init(components, validated: Parameters(parameters.values))
        }

        private init(_ components: [Component], validated parameters: Parameters) throws(Error) {
            self.components = components
            self.parameters = parameters
            guard components.count <= maximumComponentCount else {
                throw .limitExceeded("covered components")
            }
            // The count has a low ceiling: comparing all is faster than a set.
            for index in components.indices where Self.contains(components[index], components, before: index)
            {
                throw .repeated("the component \(Error.quoted(components[index].name))")
            }
            text = try Self.serialize(components, parameters)
        }

        /// Returns whether a component is covered.
        func covers(_ component: Component) -> Bool {
            Self.contains(component, components, before: components.count)
        }

        /// Looks at elements in place: copying each would cost more than comparing it.
        private static func contains(_ component: Component, _ components: [Component], before end: Int)
            -> Bool
        {
            let span = components.span
            for index in 0..<end where span[index] == component { return true }
            return false
        }

        /// Reads a member of the field `Signature-Input`.
        ///
        /// - Parameter list: The member.
        /// - Throws: ``Error`` if it is malformed, covers a component twice, or exceeds a limit.
        public init(_ list: StructuredField.InnerList) throws(Error) {
            guard list.items.count <= maximumComponentCount else {
                throw .limitExceeded("covered components")
            }
            var components: [Component] = []
            components.reserveCapacity(list.items.count)
            for item in list.items { components.append(try Component(item)) }
            try self.init(components, validated: Parameters(list.parameters))
        }

        /// Returns the input as the value of a member.
        ///
        /// - Returns: ASCII text.
        public func serialized() -> String { String(decoding: text, as: UTF8.self) }

        private static func serialize(
            _ components: [Component],
            _ parameters: Parameters
        ) throws(Error) -> [UInt8] {
            var text: [UInt8] = []
            text.reserveCapacity(256)
            text.append(UInt8(ascii: "("))
            for (index, component) in components.enumerated() {
                if index > 0 { text.append(UInt8(ascii: " ")) }
                text += component.identifier
            }
            text.append(UInt8(ascii: ")"))
            var serializer = StructuredField.Serializer()
            do {
                try serializer.append(parameters.values)
            } catch {
                throw .malformedField(error.description)
            }
            text += serializer.bytes
            return text
        }

        /// Returns the bytes that are signed (RFC 9421 §2.5).
        ///
        /// - Parameter message: The message.
        /// - Returns: ASCII text in lines, one for each component, and one for the input itself.
        /// - Throws: ``Error`` if the message has not exactly one value for each component, a value cannot be signed, or
        ///   the values are too long.
        public func signatureBase(of message: Message) throws(Error) -> [UInt8] {
            var values = ComponentValues(message)
            var base: [UInt8] = []
            base.reserveCapacity(512)
            for component in components {
                base += component.identifier
                base.append(UInt8(ascii: ":"))
                base.append(UInt8(ascii: " "))
                try values.append(component, to: &base)
                base.append(UInt8(ascii: "\n"))
            }
            base += "\"@signature-params\": ".utf8
            base += text
            return base
        }
    }
}
