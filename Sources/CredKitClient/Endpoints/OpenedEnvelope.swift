// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The contents of an envelope.
struct OpenedEnvelope<Value: Decodable>: DecodableWithConfiguration {
    var code: Int?
    var message = ""
    var time: String?
    var total: Int?
    /// `nil` if the code is not a success code; the body is not decoded then.
    var body: Value?

    init(body: Value?) { self.body = body }

    init(from decoder: any Decoder, configuration envelope: Envelope) throws {
        guard let codeField = envelope.code else {
            body = try Value(from: decoder)
            return
        }
        let object = try decoder.container(keyedBy: JSONKey.self)
        guard let code = try object.integer(at: codeField) else {
            throw DecodingError.keyNotFound(
                JSONKey(codeField),
                .init(codingPath: [], debugDescription: "no code")
            )
        }
        self.code = code
        if let field = envelope.message { message = try object.text(at: field) ?? "" }
        if let field = envelope.time { time = try object.text(at: field) }
        guard envelope.successCodes.contains(code) else { return }
        if let field = envelope.total { total = try object.integer(at: field) }
        guard let field = envelope.body else {
            body = try Value(from: decoder)
            return
        }
        body = try object.value(Value.self, at: field)
    }
}
