// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What an envelope says beside its body.
struct EnvelopeFields: Sendable {
    var code: Int
    var message = ""
    var time: String?
    var total: Int?
}

extension Envelope {
    /// Returns the code in the envelope of a response; `nil` if there is no envelope or no code.
    package func code(of bytes: [UInt8]) -> Int? { outcome(of: bytes)?.code }

    /// Returns code and message in the envelope of a response; `nil` if there is no envelope or no code.
    func outcome(of bytes: [UInt8]) -> (code: Int, message: String)? {
        (try? fields(of: bytes, DecodingBudget())).map { ($0.code, $0.message) }
    }

    /// Returns the fields in the envelope of a response; `nil` if there is no envelope.
    func fields(of bytes: [UInt8], _ budget: DecodingBudget) throws(ClientError) -> EnvelopeFields? {
        guard code != nil else { return nil }
        return try fields(in: Self.json(bytes, budget))
    }

    /// Returns the fields in the envelope of a response; `nil` if there is no envelope. The total is of interest only if the
    /// code is a success code.
    func fields(in json: JSONSlices) throws(ClientError) -> EnvelopeFields? {
        guard let codeField = code else { return nil }
        guard json.isObject else { throw .malformedResponse("the response has no object at the top level") }
        guard let code = try json.integer(at: codeField) else {
            throw .malformedResponse(
                "the response has no '\(TerminalSafeText.text(codeField, upTo: 80))'"
            )
        }
        var fields = EnvelopeFields(code: code)
        if let field = message { fields.message = try json.label(at: field) ?? "" }
        if let field = time { fields.time = try json.label(at: field) }
        if successCodes.contains(code), let field = total { fields.total = try json.integer(at: field) }
        return fields
    }

    /// Decodes a response. The body is decoded only if the code is a success code, and is `nil` otherwise.
    func open<Value: Decodable>(
        _ bytes: [UInt8],
        as type: Value.Type,
        _ budget: DecodingBudget
    ) throws(ClientError) -> (fields: EnvelopeFields?, body: Value?) {
        guard code != nil else { return (nil, try JSONReading.read(type, from: bytes[...], budget)) }
        let json = try Self.json(bytes, budget)
        let fields = try fields(in: json)
        guard let fields, successCodes.contains(fields.code) else { return (fields, nil) }
        guard let body else { return (fields, try JSONReading.read(type, from: bytes[...], budget)) }
        if let value = try json.optional(at: body) {
            return (fields, try JSONReading.read(type, from: json.bytes[value], budget, at: [JSONKey(body)]))
        }
        if let type = type as? any ExpressibleByNilLiteral.Type, let none = type.none as? Value {
            return (fields, none)
        }
        throw JSONSlices.invalid(body, "is null or missing")
    }

    /// Checks a document, which some servers begin with a byte order mark.
    private static func json(_ bytes: [UInt8], _ budget: DecodingBudget) throws(ClientError) -> JSONSlices {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return try JSONSlices(bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes, budget)
    }
}

extension ExpressibleByNilLiteral {
    static var none: Self { nil }
}
