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
    /// Returns the object that contains a field, and the field's last key; `nil` if one of the objects on the
    /// path is missing.
    private func find(_ field: String) throws -> (Self, JSONKey)? {
        var keys = field.split(separator: ".", omittingEmptySubsequences: false).map { JSONKey($0) }
        guard let last = keys.popLast() else { return nil }
        var object = self
        for key in keys {
            guard object.contains(key), try !object.decodeNil(forKey: key) else { return nil }
            // Lists and texts have no fields.
            guard let inner = try? object.nestedContainer(keyedBy: JSONKey.self, forKey: key) else {
                return nil
            }
            object = inner
        }
        guard object.contains(last), try !object.decodeNil(forKey: last) else { return nil }
        return (object, last)
    }

    /// Returns a number, or the number that a decimal text denotes.
    func integer(at field: String) throws -> Int? {
        guard let (object, key) = try find(field) else { return nil }
        if let number = try? object.decode(Int.self, forKey: key) { return number }
        let text = try object.decode(String.self, forKey: key)
        guard let number = Int(text), String(number) == text else {
            throw DecodingError.dataCorruptedError(forKey: key, in: object, debugDescription: "not a number")
        }
        return number
    }

    /// Returns a text, or a number as text, because servers send times as either.
    func text(at field: String) throws -> String? {
        guard let (object, key) = try find(field) else { return nil }
        if let text = try? object.decode(String.self, forKey: key) { return text }
        if let number = try? object.decode(Int.self, forKey: key) { return String(number) }
        return try object.decode(String.self, forKey: key)
    }

    /// Decodes a value. A missing one is `nil` if the type is optional.
    func value<Value: Decodable>(_ type: Value.Type, at field: String) throws -> Value {
        guard let (object, key) = try find(field) else {
            if let type = type as? any ExpressibleByNilLiteral.Type, let none = type.none as? Value {
                return none
            }
            throw DecodingError.valueNotFound(
                type,
                .init(codingPath: [JSONKey(field)], debugDescription: "missing")
            )
        }
        return try object.decode(type, forKey: key)
    }
}

extension ExpressibleByNilLiteral {
    static var none: Self { nil }
}
