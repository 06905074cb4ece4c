// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// What a signature covers, and what its signer says of it: a member of the field `Signature-Input`.
    public struct Input: Hashable, Sendable {
        let list: ComponentList
        /// What the signer says of the signature.
        public let parameters: Parameters
        /// The input as it stands in the field and in the signature base.
        let text: ArraySlice<UInt8>

        /// The components, in order. Each occurs once.
        public var components: [Component] { list.components }

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
            try self.init(ComponentList(components), validated: Parameters(parameters.values))
        }

        /// Reads a member of the field `Signature-Input`.
        ///
        /// - Parameter list: The member.
        /// - Throws: ``Error`` if it is malformed, covers a component twice, or exceeds a limit.
        public init(_ list: StructuredField.InnerList) throws(Error) { try self.init(list, expecting: nil) }

        init(
            _ list: StructuredField.InnerList,
            expecting expected: ExpectedComponents?
        ) throws(Error) {
            let components = try ComponentList(list.items, expecting: expected)
            let parameters = try Parameters(list.parameters)
            guard let text = list.canonicalText else {
                self = try Self(components, validated: parameters)
                return
            }
            (self.list, self.parameters, self.text) = (components, parameters, text)
        }

        init(_ list: ComponentList, validated parameters: Parameters) throws(Error) {
            self.list = list
            self.parameters = parameters
            var serializer = StructuredField.Serializer(appendingTo: list.text)
            do {
                try serializer.append(parameters.values)
            } catch {
                throw .malformedField(error.description)
            }
            text = serializer.bytes[...]
        }

        /// Returns the input as the value of a member.
        ///
        /// - Returns: ASCII text.
        public func serialized() -> String { String(decoding: text, as: UTF8.self) }

        /// Returns the bytes that are signed (RFC 9421 §2.5).
        ///
        /// - Parameter message: The message.
        /// - Returns: ASCII text in lines, one for each component, and one for the input itself.
        /// - Throws: ``Error`` if the message has not exactly one value for each component, a value cannot be signed, or
        ///   the values are too long.
        public func signatureBase(of message: Message) throws(Error) -> [UInt8] {
            var values = ComponentValues()
            var base: [UInt8] = []
            base.reserveCapacity(512)
            // Outside of the loop: taking the payload of an enumeration copies it.
            switch message {
            case .request(let request):
                try appendLines(to: &base) { component, base throws(Error) in
                    try values.append(component, of: request, to: &base)
                }
            case .response(let response):
                try appendLines(to: &base) { component, base throws(Error) in
                    try values.append(component, of: response, to: &base)
                }
            }
            base += "\"@signature-params\": ".utf8
            base.append(text.span)
            return base
        }

        /// Appends a line for each component, of which `appendValue` appends the value.
        private func appendLines(
            to base: inout [UInt8],
            _ appendValue: (Component, inout [UInt8]) throws(Error) -> Void
        ) throws(Error) {
            let components = list.components.span
            let (text, ends) = (list.text.span, list.ends.span)
            var start = 1
            for index in components.indices {
                base.append(text.extracting(start..<ends[index]))
                start = ends[index] + 1
                base.append(UInt8(ascii: ":"))
                base.append(UInt8(ascii: " "))
                try appendValue(components[index], &base)
                base.append(UInt8(ascii: "\n"))
            }
        }
    }
}
