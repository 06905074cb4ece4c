// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

extension AsyncHTTPClientTransport {
    /// A request as AsyncHTTPClient takes it. Its URL is made of parts that were looked at byte by byte, so
    /// that nobody after us sees another host in it.
    static func clientRequest(_ request: HTTPRequest, body: RequestBody?) throws(LoginError)
        -> HTTPClientRequest
    {
        guard let scheme = request.scheme, scheme == "https" || scheme == "http" else {
            throw .invalidRequest("the scheme is neither https nor http")
        }
        guard let authority = request.authority, URLBytes.isAuthority(authority) else {
            throw .invalidRequest("the host is none that a request can be sent to")
        }
        guard let path = request.path, URLBytes.isTarget(path) else {
            throw .invalidRequest("the path is not percent-encoded")
        }
        var outgoing = HTTPClientRequest(url: "\(scheme)://\(authority)\(path)")
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers.reserveCapacity(request.headerFields.count + 2)
        var cookies: String?
        for field in request.headerFields {
            guard field.name != Self.host else {
                throw .invalidRequest("the host is part of the URL, not a header")
            }
            if field.name == .cookie {
                cookies = cookies.map { "\($0); \(field.value)" } ?? field.value
                continue
            }
            outgoing.headers.add(name: field.name.rawName, value: field.value)
        }
        // HTTPTypes keeps cookies in a field each, as HTTP/2 may have them. HTTP/1.1 has one field for all
        // of them, RFC 9113 section 8.2.3; of several, servers read one.
        if let cookies {
            outgoing.headers.add(name: "Cookie", value: cookies)
        }
        switch body?.content {
        case nil: break
        case .bytes(let bytes): outgoing.body = .bytes(ByteBuffer(bytes: bytes))
        case .stream(let stream, let byteCount):
            outgoing.body = .stream(
                BufferSequence(stream: stream),
                length: byteCount.map { .known($0) } ?? .unknown
            )
        }
        return outgoing
    }

    private static let host = HTTPField.Name("Host")

    /// A response's head. Fields that HTTP does not allow are left out.
    static func head(_ response: HTTPClientResponse) throws(LoginError) -> HTTPResponse {
        let code = Int(response.status.code)
        guard (200...999).contains(code), response.headers.count < 20_000 else {
            throw .malformedResponse("the response has no valid status, or too many headers")
        }
        var fields = HTTPFields()
        fields.reserveCapacity(response.headers.count)
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return HTTPResponse(
            status: .init(code: code, reasonPhrase: response.status.reasonPhrase),
            headerFields: fields
        )
    }

    /// A request's stream in AsyncHTTPClient's buffers.
    private struct BufferSequence: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            var iterator: ResponseBody.AsyncIterator

            mutating func next() async throws -> ByteBuffer? {
                try await iterator.next().map { ByteBuffer(bytes: $0) }
            }
        }

        let stream: ResponseBody

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: stream.makeAsyncIterator()) }
    }
}

extension NIODeadline {
    /// The same instant on NIO's clock. It is read off two clocks one after the other, which is exact enough
    /// to wait by.
    init(_ instant: ContinuousClock.Instant) {
        self = .now() + TimeAmount(ContinuousClock.now.duration(to: instant))
    }
}

extension TimeAmount {
    /// A duration, within a hundred years or so.
    init(_ duration: Duration) {
        let seconds = min(max(duration.components.seconds, -3_000_000_000), 3_000_000_000)
        self = .seconds(seconds) + .nanoseconds(duration.components.attoseconds / 1_000_000_000)
    }
}
