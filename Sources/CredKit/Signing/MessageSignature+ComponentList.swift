// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// Components in order, of which each occurs once, with the text that stands for them. A signer or verifier makes the
    /// list that it expects once, instead of with each message.
    struct ComponentList: Hashable, Sendable {
        private let storage: Storage

        /// A reference is copied faster than what it points to.
        private final class Storage: Sendable {
            let components: [Component]
            let text: [UInt8]
            let ends: [Int]

            init(_ components: [Component], _ text: [UInt8], _ ends: [Int]) {
                self.components = components
                self.text = text
                self.ends = ends
            }
        }

        var components: [Component] { storage.components }

        /// The list in parentheses, as it stands in fields and in the signature base.
        var text: [UInt8] { storage.text }

        /// Where the identifier of each component ends in the text. There is one character before each.
        var ends: [Int] { storage.ends }

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
            var ends: [Int] = []
            ends.reserveCapacity(components.count)
            let span = components.span
            for index in span.indices {
                // The count has a low ceiling: comparing all is faster than a set.
                guard !Self.contains(span[index], span.extracting(..<index)) else {
                    throw .repeated("the component \(Error.quoted(span[index].name))")
                }
                if index > 0 { text.append(UInt8(ascii: " ")) }
                text += span[index].identifier
                ends.append(text.count)
            }
            text.append(UInt8(ascii: ")"))
            storage = Storage(components, text, ends)
        }

        /// Returns whether two lists have the same components in the same order, written in the same way.
        static func == (left: Self, right: Self) -> Bool {
            left.storage === right.storage
                || (left.components == right.components && left.text == right.text)
        }

        /// Feeds the components to a hasher.
        func hash(into hasher: inout Hasher) { hasher.combine(components) }

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
    final class ExpectedComponents: Sendable {
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
