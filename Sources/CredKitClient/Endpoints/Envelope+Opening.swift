// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Envelope {
    /// The code in the envelope of a response; `nil` if there is no envelope or no code in it.
    package func code(of bytes: [UInt8]) -> Int? {
        guard code != nil, let opened = try? open(bytes, as: NoContent.self, status: nil) else { return nil }
        return opened.code
    }

    /// Opens an envelope. The body is read only if the code says that the server did what it was asked.
    func open<Body: Decodable>(
        _ bytes: [UInt8],
        as type: Body.Type,
        status: Int?
    ) throws(LoginError) -> OpenedEnvelope<Body> {
        try JSONReading.read(OpenedEnvelope<Body>.self, from: bytes, configuration: self, status: status)
    }
}

/// The body of an envelope that is not looked into.
struct NoContent: Decodable, Sendable, ExpressibleByNilLiteral {
    init(nilLiteral: ()) {}
    init(from decoder: any Decoder) {}
}
