// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Envelope {
    /// Returns the code in the envelope of a response; `nil` if there is no envelope or no code.
    package func code(of bytes: [UInt8]) -> Int? { outcome(of: bytes)?.code }

    /// Returns code and message in the envelope of a response; `nil` if there is no envelope or no code.
    func outcome(of bytes: [UInt8]) -> (code: Int, message: String)? {
        guard code != nil, let opened = try? open(bytes, as: NoContent.self, status: nil) else { return nil }
        return opened.code.map { ($0, opened.message) }
    }

    /// Opens an envelope. The body is decoded only if the code is a success code.
    func open<Value: Decodable>(
        _ bytes: [UInt8],
        as type: Value.Type,
        status: Int?
    ) throws(ClientError) -> OpenedEnvelope<Value> {
        try JSONReading.read(OpenedEnvelope<Value>.self, from: bytes, configuration: self, status: status)
    }
}

/// The body of an envelope that is not decoded.
struct NoContent: Decodable, Sendable, ExpressibleByNilLiteral {
    init(nilLiteral: ()) {}
    init(from decoder: any Decoder) {}
}
