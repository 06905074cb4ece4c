// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How an endpoint decodes its responses.
struct BodyDecoding<Value: Sendable>: Sendable {
    struct Result: Sendable {
        var code: Int?
        var message = ""
        var time: String?
        var total: Int?
        var body: Value?

        /// The result with the fields of the envelope; `nil` without one.
        init(_ envelope: EnvelopeFields? = nil, body: Value?) {
            (code, message) = (envelope?.code, envelope?.message ?? "")
            (time, total) = (envelope?.time, envelope?.total)
            self.body = body
        }
    }

    /// Whether the session's envelope applies unless the endpoint names its own.
    let usesDefaultEnvelope: Bool

    /// Decodes a response; the body is `nil` if the code is not a success code.
    let read:
        @Sendable (_ bytes: [UInt8], _ envelope: Envelope, _ budget: DecodingBudget) throws(ClientError) ->
            Result
}

extension BodyDecoding where Value: Decodable {
    /// Returns `[UInt8]` unchanged, and decodes all other types from JSON.
    static var standard: Self {
        guard Value.self == [UInt8].self, let bytes = BodyDecoding<[UInt8]>.bytes as? Self else {
            return .json
        }
        return bytes
    }

    /// Decodes JSON.
    private static var json: Self {
        Self(usesDefaultEnvelope: true) { (bytes, envelope, budget) throws(ClientError) in
            if bytes.isEmpty, envelope.code == nil {
                // 204 and similar: an empty response is `nil` for an optional type.
                guard let type = Value.self as? any ExpressibleByNilLiteral.Type,
                    let none = type.none as? Value
                else {
                    throw .malformedResponse("the response is empty")
                }
                return Result(body: none)
            }
            let (fields, body) = try envelope.open(bytes, as: Value.self, budget)
            return Result(fields, body: body)
        }
    }
}

extension BodyDecoding<[UInt8]> {
    /// Returns the bytes unchanged. An envelope is opened only if the endpoint itself names one.
    static var bytes: Self {
        Self(usesDefaultEnvelope: false) { (bytes, envelope, budget) throws(ClientError) in
            Result(try envelope.fields(of: bytes, budget), body: bytes)
        }
    }
}

extension BodyDecoding<Void> {
    /// Returns no body. If there is an envelope, it is opened for its code.
    static var nothing: Self {
        Self(usesDefaultEnvelope: true) { (bytes, envelope, budget) throws(ClientError) in
            Result(bytes.isEmpty ? nil : try envelope.fields(of: bytes, budget), body: ())
        }
    }
}
