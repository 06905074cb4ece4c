// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CredKitClient
import HTTPTypes
import NIOCore
import NIOHTTP1

/// A transport over AsyncHTTPClient that uses only CredKit's public interface, like a custom transport of a program.
struct AsyncHTTPClientTransport: HTTPTransport {
    let client: HTTPClient

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> TransportResponse {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path else {
            throw .invalidRequest
        }
        var outgoing = HTTPClientRequest(url: "\(scheme)://\(authority)\(path)")
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields {
            outgoing.headers.add(name: field.name.rawName, value: field.value)
        }
        switch body?.content {
        case nil: break
        case .bytes(let bytes): outgoing.body = .bytes(ByteBuffer(bytes: bytes))
        case .stream(let stream, let byteCount):
            let length = byteCount.map { HTTPClientRequest.Body.Length.known($0) } ?? .unknown
            outgoing.body = .stream(Buffers(stream: stream), length: length)
        }
        let wait = ContinuousClock.now.duration(to: deadline)
        do {
            let response = try await client.execute(
                outgoing,
                timeout: .nanoseconds(Int64(wait / .nanoseconds(1)))
            )
            return TransportResponse(head: Self.head(of: response), body: Self.body(of: response))
        } catch {
            throw Self.error(error)
        }
    }

    private static func head(of response: HTTPClientResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return HTTPResponse(status: .init(code: Int(response.status.code)), headerFields: fields)
    }

    private static func body(of response: HTTPClientResponse) -> HTTPResponseBody {
        HTTPResponseBody {
            var iterator = response.body.makeAsyncIterator()
            return HTTPResponseBody.AsyncIterator { () async throws(ClientError) in
                do {
                    guard var piece = try await iterator.next() else { return nil }
                    return piece.readBytes(length: piece.readableBytes)
                } catch {
                    throw Self.error(error)
                }
            }
        }
    }

    private static func error(_ error: any Error) -> ClientError {
        switch error {
        case let error as ClientError: error
        case is CancellationError: .cancelled
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout: .timedOut
        default: .noResponse
        }
    }

    /// Streams a request's body into AsyncHTTPClient's buffers.
    private struct Buffers: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            var iterator: HTTPResponseBody.AsyncIterator

            mutating func next() async throws -> ByteBuffer? {
                try await iterator.next().map { ByteBuffer(bytes: $0) }
            }
        }

        let stream: HTTPResponseBody

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: stream.makeAsyncIterator()) }
    }
}
