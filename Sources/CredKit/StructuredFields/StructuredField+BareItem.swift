// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// A single value without parameters, of one of eight types.
    ///
    /// Two values are equal if they have the same type and serialize to the same text; text is compared by bytes.
    public enum BareItem: Hashable, Sendable {
        /// A whole number, from −999,999,999,999,999 to 999,999,999,999,999.
        case integer(Int64)
        /// A number with up to three digits after the point.
        case decimal(Decimal)
        /// Printable ASCII characters, written in quotation marks.
        case string(String)
        /// A short word, such as `gzip` or `text/html`: it begins with a letter or `*`, and continues with characters of
        /// HTTP tokens, `:` or `/`.
        case token(String)
        /// Any bytes, written as Base64.
        case byteSequence([UInt8])
        /// True or false.
        case boolean(Bool)
        /// A point in time. RFC 9651 requires support of the years 1 to 9999; others are accepted within the range of
        /// ``integer(_:)``.
        case date(UnixTime)
        /// Unicode text to show to people.
        case displayString(String)

        /// Returns whether two values have the same type and the same content.
        public static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.integer(let left), .integer(let right)): left == right
            case (.decimal(let left), .decimal(let right)): left == right
            case (.byteSequence(let left), .byteSequence(let right)): left == right
            case (.boolean(let left), .boolean(let right)): left == right
            case (.date(let left), .date(let right)): left == right
            case (.string(let left), .string(let right)), (.token(let left), .token(let right)),
                (.displayString(let left), .displayString(let right)):
                left.hasBytes(of: right)
            default: false
            }
        }
    }
}

extension StructuredField.BareItem: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    /// Creates an integer.
    ///
    /// - Parameter value: The number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Creates a string, not a token.
    ///
    /// - Parameter value: Printable ASCII characters.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates a boolean.
    ///
    /// - Parameter value: True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension StructuredField.BareItem {
    /// The number of an integer; `nil` for other types.
    public var integerValue: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// The number of a decimal; `nil` for other types, including integers.
    public var decimalValue: StructuredField.Decimal? {
        guard case .decimal(let value) = self else { return nil }
        return value
    }

    /// The text of a string; `nil` for other types, including tokens and display strings.
    public var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The text of a token; `nil` for other types.
    public var tokenValue: String? {
        guard case .token(let value) = self else { return nil }
        return value
    }

    /// The bytes of a byte sequence; `nil` for other types.
    public var byteSequenceValue: [UInt8]? {
        guard case .byteSequence(let value) = self else { return nil }
        return value
    }

    /// The value of a boolean; `nil` for other types.
    public var booleanValue: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    /// The time of a date; `nil` for other types.
    public var dateValue: UnixTime? {
        guard case .date(let value) = self else { return nil }
        return value
    }

    /// The text of a display string; `nil` for other types. It can contain any character, including those that control
    /// a terminal.
    public var displayStringValue: String? {
        guard case .displayString(let value) = self else { return nil }
        return value
    }
}
