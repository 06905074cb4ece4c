// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
