// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// Components in order, of which each occurs once, with the text that stands for them. A signer or verifier makes the
    /// list that it expects once, instead of with each message.
    struct ComponentList: Hashable, Sendable {
        let components: [Component]
        /// The list in parentheses, as it stands in fields and in the signature base.
        let text: [UInt8]

        /// Creates a list.
        ///
        /// - Parameter components: Valid components, in order.
        /// - Throws: ``Error`` if a component occurs twice, or there are too many.
        init(_ components: [Component]) throws(Error) {
            guard components.count <= maximumComponentCount else {
                throw .limitExceeded("covered components")
            }
            var text: [UInt8] = []
            text.reserveCapacity(256)
            text.append(UInt8(ascii: "("))
            let span = components.span
            for index in span.indices {
                // The count has a low ceiling: comparing all is faster than a set.
                guard !Self.contains(span[index], span.extracting(..<index)) else {
                    throw .repeated("the component \(Error.quoted(span[index].name))")
                }
                if index > 0 { text.append(UInt8(ascii: " ")) }
                text += span[index].identifier
            }
            text.append(UInt8(ascii: ")"))
            self.components = components
            self.text = text
        }

        /// Reads the items of a list, which may be one that was read before.
        init(_ items: [StructuredField.Item], expecting expected: ExpectedComponents?) throws(Error) {
            // Arrays that share their memory are compared in constant time: see `StructuredField.KnownItems`.
            if let expected, items == expected.known.items {
                self = expected.list
                return
            }
            guard items.count <= maximumComponentCount else { throw .limitExceeded("covered components") }
            var components: [Component] = []
            components.reserveCapacity(items.count)
            for item in items { components.append(try Component(item)) }
            try self.init(components)
        }

        /// Returns the first of several components that is not in the list.
        func firstMissing(of others: [Component]) -> Component? {
            // Often it is the same array, which is known in constant time.
            guard components != others else { return nil }
            return others.first { !Self.contains($0, components.span) }
        }

        /// Looks at elements in place: copying each would cost more than comparing it.
        private static func contains(_ component: Component, _ components: Span<Component>) -> Bool {
            for index in components.indices where components[index] == component { return true }
            return false
        }
    }

    /// A list of components that is likely to come, as the items of a field.
    struct ExpectedComponents: Sendable {
        let list: ComponentList
        let known: StructuredField.KnownItems

        init(_ list: ComponentList) throws(Error) {
            self.list = list
            do {
                known = try StructuredField.KnownItems(parsing: list.text)
            } catch {
                throw .malformedField("\(error)")
            }
        }
    }
}
