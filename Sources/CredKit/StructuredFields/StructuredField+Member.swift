// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// A member of a ``List`` or ``Dictionary``: an item or an inner list.
    public enum Member: Hashable, Sendable {
        /// A single value with its parameters.
        case item(Item)
        /// Items in parentheses.
        case innerList(InnerList)

        /// The value of an item, without its parameters; `nil` for an inner list.
        public var bareItem: BareItem? {
            guard case .item(let item) = self else { return nil }
            return item.value
        }

        /// The items of an inner list; `nil` for a single item.
        public var items: [Item]? {
            guard case .innerList(let list) = self else { return nil }
            return list.items
        }

        /// The parameters of the item, or of the inner list as a whole.
        public var parameters: Parameters {
            get {
                switch self {
                case .item(let item): item.parameters
                case .innerList(let list): list.parameters
                }
            }
            set {
                switch self {
                case .item(let item): self = .item(Item(item.value, parameters: newValue))
                case .innerList(let list): self = .innerList(InnerList(list.items, parameters: newValue))
                }
            }
        }

        /// Serializes the member alone, as HTTP message signatures do for a member of a dictionary (RFC 9421 §2.1.2).
        ///
        /// - Returns: ASCII text.
        /// - Throws: ``SerializationError`` if the member contains anything that a field cannot represent.
        public func serialized() throws(SerializationError) -> String {
            switch self {
            case .item(let item): try item.serialized()
            case .innerList(let list): try list.serialized()
            }
        }
    }
}

extension StructuredField.Member: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    /// Creates an integer without parameters.
    ///
    /// - Parameter value: The number.
    public init(integerLiteral value: Int64) { self = .item(.init(.integer(value))) }

    /// Creates a string without parameters, not a token.
    ///
    /// - Parameter value: Printable ASCII characters.
    public init(stringLiteral value: String) { self = .item(.init(.string(value))) }

    /// Creates a boolean without parameters.
    ///
    /// - Parameter value: True or false.
    public init(booleanLiteral value: Bool) { self = .item(.init(.boolean(value))) }

    /// Creates an inner list without parameters of its own.
    ///
    /// - Parameter elements: The items, in order.
    public init(arrayLiteral elements: StructuredField.Item...) { self = .innerList(.init(elements)) }
}
