// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Any key of a JSON object.
struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: some StringProtocol) { stringValue = String(text) }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<JSONKey> {
    /// The object that a field is in, and its last key; `nil` where one of the objects on the way is not
    /// there.
    private func find(_ field: String) throws -> (Self, JSONKey)? {
        var keys = field.split(separator: ".", omittingEmptySubsequences: false).map { JSONKey($0) }
        guard let last = keys.popLast() else { return nil }
        var object = self
        for key in keys {
            guard object.contains(key), try !object.decodeNil(forKey: key) else { return nil }
            // Of a list there is no field, as of a text.
            guard let inner = try? object.nestedContainer(keyedBy: JSONKey.self, forKey: key) else {
                return nil
            }
            object = inner
        }
        guard object.contains(last), try !object.decodeNil(forKey: last) else { return nil }
        return (object, last)
    }

    /// A number, or the decimal text of one.
    func integer(at field: String) throws -> Int? {
        guard let (object, key) = try find(field) else { return nil }
        if let number = try? object.decode(Int.self, forKey: key) { return number }
        let text = try object.decode(String.self, forKey: key)
        guard let number = Int(text), String(number) == text else {
            throw DecodingError.dataCorruptedError(forKey: key, in: object, debugDescription: "not a number")
        }
        return number
    }

    /// A text, or a number as text: servers send times as either.
    func text(at field: String) throws -> String? {
        guard let (object, key) = try find(field) else { return nil }
        if let text = try? object.decode(String.self, forKey: key) { return text }
        if let number = try? object.decode(Int.self, forKey: key) { return String(number) }
        return try object.decode(String.self, forKey: key)
    }

    /// A value; one that is not there is `nil` where that is a value of the type.
    func value<Value: Decodable>(_ type: Value.Type, at field: String) throws -> Value {
        guard let (object, key) = try find(field) else {
            if let type = type as? any ExpressibleByNilLiteral.Type, let none = type.none as? Value {
                return none
            }
            throw DecodingError.valueNotFound(
                type,
                .init(codingPath: [JSONKey(field)], debugDescription: "not there")
            )
        }
        return try object.decode(type, forKey: key)
    }
}

extension ExpressibleByNilLiteral {
    static var none: Self { nil }
}
