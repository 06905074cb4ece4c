// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How an endpoint reads its responses.
struct BodyDecoding<Body: Sendable>: Sendable {
    struct Result: Sendable {
        var code: Int?
        var message = ""
        var time: String?
        var total: Int?
        var body: Body?
    }

    /// Whether the session's envelope is this endpoint's, unless it names one.
    let usesDefaultEnvelope: Bool

    /// Reads a response; the body is `nil` where the code is none of success.
    let read: @Sendable (_ bytes: [UInt8], _ envelope: Envelope, _ status: Int) throws(LoginError) -> Result
}

extension BodyDecoding where Body: Decodable {
    /// JSON.
    static var json: Self {
        Self(usesDefaultEnvelope: true) { (bytes, envelope, status) throws(LoginError) in
            if bytes.isEmpty, envelope.code == nil {
                // 204 and its like: nothing is a value of an optional type.
                guard let type = Body.self as? any ExpressibleByNilLiteral.Type, let none = type.none as? Body
                else {
                    throw .malformedResponse("the response is empty", status: status)
                }
                return Result(body: none)
            }
            let opened = try envelope.open(bytes, as: Body.self, status: status)
            return Result(
                code: opened.code,
                message: opened.message,
                time: opened.time,
                total: opened.total,
                body: opened.body
            )
        }
    }
}

extension BodyDecoding<[UInt8]> {
    /// The bytes as they came. An envelope is looked into only where the endpoint itself names one.
    static var bytes: Self {
        Self(usesDefaultEnvelope: false) { (bytes, envelope, status) throws(LoginError) in
            guard envelope.code != nil else { return Result(body: bytes) }
            let opened = try envelope.open(bytes, as: NoContent.self, status: status)
            return Result(
                code: opened.code,
                message: opened.message,
                time: opened.time,
                total: opened.total,
                body: bytes
            )
        }
    }
}

extension BodyDecoding<Void> {
    /// No body. An envelope is opened for its code, if there is one.
    static var nothing: Self {
        Self(usesDefaultEnvelope: true) { (bytes, envelope, status) throws(LoginError) in
            guard envelope.code != nil, !bytes.isEmpty else { return Result(body: ()) }
            let opened = try envelope.open(bytes, as: NoContent.self, status: status)
            return Result(
                code: opened.code,
                message: opened.message,
                time: opened.time,
                total: opened.total,
                body: ()
            )
        }
    }
}
