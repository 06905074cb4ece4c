// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
