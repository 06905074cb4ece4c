// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Client
/// A request as the server of a ``TransportSuite`` received it.
struct PeerRequest: Sendable {
    var method: String
    /// Path and query.
    var target: String
    /// Names in lower case, and values, in order.
    var fields: [(name: String, value: String)]
    var body: [UInt8] = []

    var path: String { String(target.prefix { $0 != "?" }) }

    /// The values of a field, joined as RFC 9110 section 5.3 allows intermediaries to do.
    func value(_ name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// The answer of the server of a ``TransportSuite``.
enum PeerAnswer: Sendable {
    case response(status: Int, fields: [(String, String)] = [], body: [UInt8] = [])
    /// The connection ends without a response.
    case noResponse
    /// A head that announces ``announcedByteCount`` bytes, some of them, and then the end of the connection, or
    /// silence.
    case partOfBody([UInt8], thenEnds: Bool)
    /// Nothing, until the client gives up.
    case silence

    static let announcedByteCount = 100
    static let largeBody = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// Returns the answer to a request, which depends on its path only.
    init(to request: PeerRequest) {
        switch request.path {
        case "/echo": self = .response(status: 200, body: request.body)
        case "/fields":
            let fields = [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2"), ("X-Name", "value")]
            self = .response(status: 200, fields: fields)
        case "/redirect": self = .response(status: 302, fields: [("Location", "/echo")])
        case "/large": self = .response(status: 200, body: Self.largeBody)
        case "/no-response": self = .noResponse
        case "/half": self = .partOfBody(Array("half".utf8), thenEnds: true)
        case "/stalled": self = .partOfBody(Array("half".utf8), thenEnds: false)
        case "/silent": self = .silence
        default:
            let status = Int(request.path.drop { !$0.isNumber }) ?? 404
            self = .response(status: status, body: status == 204 ? [] : Array("status".utf8))
        }
    }
}
#endif
