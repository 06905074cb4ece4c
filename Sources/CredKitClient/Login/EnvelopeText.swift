// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An envelope, given by name or as an object.
struct EnvelopeText: Codable {
    private static let names: [String: Envelope] = ["headBody": .headBody, "codeData": .codeData]

    let envelope: Envelope

    init(envelope: Envelope) { self.envelope = envelope }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            try KnownNames(["code", "message", "time", "body", "total", "successCodes"]).check(decoder)
            envelope = try value.decode(Envelope.self)
            return
        }
        guard let envelope = Self.names[name] else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "no such envelope")
        }
        self.envelope = envelope
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if let name = Self.names.first(where: { $0.value == envelope })?.key {
            try value.encode(name)
        } else {
            try value.encode(envelope)
        }
    }
}
