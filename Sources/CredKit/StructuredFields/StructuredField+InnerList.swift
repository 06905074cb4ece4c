// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// Any number of items in parentheses, with parameters of their own, as a member of a ``List`` or ``Dictionary``.
    public struct InnerList: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// The items, in order.
        public var items: [Item] {
            didSet { canonicalText = nil }
        }
        /// What the field says of the list as a whole.
        public var parameters: Parameters {
            didSet { canonicalText = nil }
        }
        /// What serializing gives, if the list was parsed from that text and has not changed since; otherwise `nil`. A
        /// signature is verified with this text, and most senders write it.
        private(set) var canonicalText: ArraySlice<UInt8>?

        /// Creates an inner list.
        ///
        /// - Parameters:
        ///   - items: The items, in order.
        ///   - parameters: What to say of the list as a whole.
        public init(_ items: [Item], parameters: Parameters = [:]) {
            self.items = items
            self.parameters = parameters
        }

        init(_ items: [Item], parameters: Parameters, canonicalText: ArraySlice<UInt8>?) {
            self.items = items
            self.parameters = parameters
            self.canonicalText = canonicalText
        }

        /// Creates an inner list without parameters of its own.
        ///
        /// - Parameter elements: The items, in order.
        public init(arrayLiteral elements: Item...) { self.init(elements) }

        /// Returns whether two lists have the same items and parameters.
        public static func == (left: Self, right: Self) -> Bool {
            left.items == right.items && left.parameters == right.parameters
        }

        /// Feeds the items and parameters to a hasher.
        ///
        /// - Parameter hasher: The hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(items)
            hasher.combine(parameters)
        }

        /// Serializes the list, as RFC 9651 §4.1.1.1 defines. The parameters of an HTTP message signature (RFC 9421
        /// §2.3) have this form.
        ///
        /// - Returns: ASCII text.
        /// - Throws: ``SerializationError`` if the list contains anything that a field cannot represent.
        public func serialized() throws(SerializationError) -> String {
            var serializer = Serializer()
            try serializer.append(self)
            return serializer.text
        }
    }
}
