// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes

/// An absent value, encoded as `null`.
struct Nothing: Encodable, Sendable {}

/// `{code, msg, data}`, in which code 0 is success.
struct CodeEnvelope<Content: Encodable & Sendable>: Encodable, Sendable {
    let code: Int
    let msg: String
    let data: Content?

    private enum CodingKeys: CodingKey { case code, msg, data }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encode(msg, forKey: .msg)
        // Also encoded if it is `nil`.
        try container.encode(data, forKey: .data)
    }
}

/// `{h: {code, msg, time}, b}`, in which code 200 is success.
struct HeadEnvelope<Content: Encodable & Sendable>: Encodable, Sendable {
    struct Head: Encodable, Sendable {
        let code: Int
        let msg: String
        let time: String
    }

    let h: Head
    let b: Content?

    private enum CodingKeys: CodingKey { case h, b }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(h, forKey: .h)
        try container.encode(b, forKey: .b)
    }
}

/// The envelope of an endpoint.
enum EnvelopeKind: Sendable {
    case head
    case code

    /// Returns an answer with a body.
    func answer(_ body: some Encodable & Sendable, at time: String) -> ServerAnswer {
        switch self {
        case .head: .json(HeadEnvelope(h: .init(code: 200, msg: "ok", time: time), b: body))
        case .code: .json(CodeEnvelope(code: 0, msg: "ok", data: body))
        }
    }

    /// Returns an answer without a body.
    func refusal(_ status: HTTPResponse.Status, _ message: String, at time: String) -> ServerAnswer {
        let code = status.code
        return switch self {
        case .head:
            .json(
                HeadEnvelope<Nothing>(h: .init(code: code, msg: message, time: time), b: nil),
                status: status
            )
        case .code: .json(CodeEnvelope<Nothing>(code: code, msg: message, data: nil), status: status)
        }
    }
}
#endif
