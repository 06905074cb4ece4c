// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// How the cases of the HTTP working group write structured values in JSON.
indirect enum JSONNotation: Decodable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case string(String)
    case array([JSONNotation])
    /// A value of a type that JSON does not have.
    case typed(String, JSONNotation)

    private enum Keys: String, CodingKey {
        case type = "__type"
        case value
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Keys.self) {
            self = .typed(
                try container.decode(String.self, forKey: .type),
                try container.decode(JSONNotation.self, forKey: .value)
            )
            return
        }
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else {
            self = .array(try container.decode([JSONNotation].self))
        }
    }

    var list: StructuredField.List {
        get throws { StructuredField.List(try array.map { try $0.member }) }
    }

    var dictionary: StructuredField.Dictionary {
        get throws { try values { try $0.member } }
    }

    var item: StructuredField.Item {
        get throws { StructuredField.Item(try array[0].bareItem, parameters: try array[1].parameters) }
    }

    private var member: StructuredField.Member {
        get throws {
            guard case .array(let items) = try array[0] else { return .item(try item) }
            return .innerList(.init(try items.map { try $0.item }, parameters: try array[1].parameters))
        }
    }

    private var parameters: StructuredField.Parameters {
        get throws { try values { try $0.bareItem } }
    }

    private func values<Value>(
        _ value: (JSONNotation) throws -> Value
    ) throws -> StructuredField.OrderedValues<Value> {
        var values = StructuredField.OrderedValues<Value>()
        for pair in try array { values[try pair.array[0].text] = try value(pair.array[1]) }
        return values
    }

    private var bareItem: StructuredField.BareItem {
        get throws {
            switch self {
            case .boolean(let value): return .boolean(value)
            case .integer(let value): return .integer(value)
            case .string(let value): return .string(value)
            case .typed("token", let value): return .token(try value.text)
            case .typed("displaystring", let value): return .displayString(try value.text)
            case .typed("binary", let value): return .byteSequence(try Hex.decode(try value.text))
            case .typed("decimal", let value): return .decimal(try Self.decimal(try value.text))
            case .typed("date", .integer(let seconds)): return .date(UnixTime(seconds))
            default: throw NotationError()
            }
        }
    }

    /// Numbers with up to three digits after the point are exact, others are rounded.
    private static func decimal(_ text: String) throws -> StructuredField.Decimal {
        let parts = text.split(separator: ".")
        let digits = try XCTUnwrap(Int64(parts.joined()))
        let scale = (0..<parts[1].count).reduce(Int64(1)) { scale, _ in scale * 10 }
        guard scale > 1000 else { return .init(thousandths: digits * (1000 / scale)) }
        return try XCTUnwrap(.init(rounding: digits, over: scale))
    }

    private var array: [JSONNotation] {
        get throws {
            guard case .array(let value) = self else { throw NotationError() }
            return value
        }
    }

    private var text: String {
        get throws {
            guard case .string(let value) = self else { throw NotationError() }
            return value
        }
    }

    private struct NotationError: Error {}
}
