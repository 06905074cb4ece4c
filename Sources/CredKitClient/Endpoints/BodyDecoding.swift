// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How an endpoint decodes its responses.
struct BodyDecoding<Value: Sendable>: Sendable {
    struct Result: Sendable {
        var code: Int?
        var message = ""
        var time: String?
        var total: Int?
        var body: Value?

        /// The result without an envelope.
        init(body: Value) { self.body = body }

        /// The result with the fields of an envelope.
        init(_ envelope: OpenedEnvelope<some Decodable>, body: Value?) {
            (code, message) = (envelope.code, envelope.message)
            (time, total) = (envelope.time, envelope.total)
            self.body = body
        }
    }

    /// Whether the session's envelope applies unless the endpoint names its own.
    let usesDefaultEnvelope: Bool

    /// Decodes a response; the body is `nil` if the code is not a success code.
    let read: @Sendable (_ bytes: [UInt8], _ envelope: Envelope, _ status: Int) throws(ClientError) -> Result
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
        Self(usesDefaultEnvelope: true) { (bytes, envelope, status) throws(ClientError) in
            if bytes.isEmpty, envelope.code == nil {
                // 204 and similar: an empty response is `nil` for an optional type.
                guard let type = Value.self as? any ExpressibleByNilLiteral.Type,
                    let none = type.none as? Value
                else {
                    throw .malformedResponse("the response is empty", status: status)
                }
                return Result(body: none)
            }
            let opened = try envelope.open(bytes, as: Value.self, status: status)
            return Result(opened, body: opened.body)
        }
    }
}

extension BodyDecoding<[UInt8]> {
    /// Returns the bytes unchanged. An envelope is opened only if the endpoint itself names one.
    static var bytes: Self {
        Self(usesDefaultEnvelope: false) { (bytes, envelope, status) throws(ClientError) in
            guard envelope.code != nil else { return Result(body: bytes) }
            let opened = try envelope.open(bytes, as: NoContent.self, status: status)
            return Result(opened, body: bytes)
        }
    }
}

extension BodyDecoding<Void> {
    /// Returns no body. If there is an envelope, it is opened for its code.
    static var nothing: Self {
        Self(usesDefaultEnvelope: true) { (bytes, envelope, status) throws(ClientError) in
            guard envelope.code != nil, !bytes.isEmpty else { return Result(body: ()) }
            let opened = try envelope.open(bytes, as: NoContent.self, status: status)
            return Result(opened, body: ())
        }
    }
}
