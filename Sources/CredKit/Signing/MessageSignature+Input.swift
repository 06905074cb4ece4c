// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// What a signature covers, and what its signer says of it: a member of the field `Signature-Input`.
    public struct Input: Hashable, Sendable {
        /// The components, in order. Each occurs once.
        public let components: [Component]
        /// What the signer says of the signature.
        public let parameters: Parameters

        /// Creates the input of a signature.
        ///
        /// - Parameters:
        ///   - components: The components, in order.
        ///   - parameters: What to say of the signature.
        /// - Throws: ``Error`` if a component occurs twice, or there are too many.
        public init(_ components: [Component], parameters: Parameters) throws(Error) {
            self.components = components
            self.parameters = try Parameters(parameters.values)
            guard components.count <= maximumComponentCount else {
                throw .limitExceeded("covered components")
            }
            // The count has a low ceiling: comparing all is faster than a set.
            for (index, component) in components.enumerated()
            where components[..<index].contains(component) {
                throw .repeated("the component '\(component.name)'")
            }
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
            for item in list.items { components.append(try Component(item)) }
            try self.init(components, parameters: Parameters(list.parameters))
        }

        var list: StructuredField.InnerList {
            StructuredField.InnerList(components.map(\.item), parameters: parameters.values)
        }

        /// Serializes the input as the value of a member.
        ///
        /// - Returns: ASCII text.
        /// - Throws: ``Error`` if a parameter is not printable ASCII, or a time is out of range.
        public func serialized() throws(Error) -> String {
            String(decoding: try serializedBytes(), as: UTF8.self)
        }

        func serializedBytes() throws(Error) -> [UInt8] {
            var serializer = StructuredField.Serializer()
            do {
                try serializer.append(list)
            } catch {
                throw .malformedField(error.description)
            }
            return serializer.bytes
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
            for component in components {
                var serializer = StructuredField.Serializer()
                do {
                    try serializer.append(component.item)
                } catch {
                    throw .invalidComponent(component.name, error.description)
                }
                base += serializer.bytes
                base += [UInt8(ascii: ":"), UInt8(ascii: " ")]
                try values.append(component, to: &base)
                base.append(UInt8(ascii: "\n"))
            }
            base += "\"@signature-params\": ".utf8
            base += try serializedBytes()
            return base
        }
    }
}
