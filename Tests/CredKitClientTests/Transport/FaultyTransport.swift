// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitSystem
import HTTPTypes

/// A transport with one fault.
final class FaultyTransport: HTTPTransport {
    enum Fault: CaseIterable {
        case changesTargets, dropsBodies, buffersOnePiece, joinsCookies, truncatesBodies, followsRedirects
        case storesCookies, retriesPosts, hidesEarlyEnds, ignoresDeadlines, ignoresCancellation
        case endsFailedStreams, mixesResponses
    }

    private let fault: Fault
    private let transport: any HTTPTransport
    private let cookies = Lock<String?>(nil)
    private let last = Lock<[UInt8]>([])

    init(_ fault: Fault, _ transport: any HTTPTransport) {
        self.fault = fault
        self.transport = transport
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        var (request, body, deadline) = (request, body, deadline)
        switch fault {
        case .changesTargets: request.path = request.path?.replacing("%20", with: "+")
        case .dropsBodies where request.method == .put: body = nil
        case .storesCookies: request.headerFields[.cookie] = cookies.withLock { $0 }
        case .ignoresDeadlines: deadline = .now + .seconds(3600)
        case .buffersOnePiece, .endsFailedStreams: body = try await buffered(body)
        default: break
        }
        var response = try await respond(to: request, body: body, deadline: deadline)
        if fault == .joinsCookies {
            let values = response.head.headerFields[values: .setCookie]
            if !values.isEmpty { response.head.headerFields[.setCookie] = values.joined(separator: ", ") }
        }
        if fault == .storesCookies, let cookie = response.head.headerFields[values: .setCookie].first {
            cookies.withLock { $0 = cookie }
        }
        if let target = response.head.headerFields[.location], fault == .followsRedirects {
            request.path = target
            return try await transport.send(request, body: body, deadline: deadline)
        }
        response.body = await changed(response.body, isEcho: request.path == "/echo")
        return response
    }

    private func respond(
        to request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        if fault == .ignoresCancellation {
            return try await Task { [transport] in
                try await transport.send(request, body: body, deadline: deadline)
            }.value
        }
        do {
            return try await transport.send(request, body: body, deadline: deadline)
        } catch {
            guard fault == .retriesPosts, error as? ClientError == .noResponse else { throw error }
            return try await transport.send(request, body: body, deadline: deadline)
        }
    }

    /// Reads a stream before it is sent, and makes a mistake.
    private func buffered(_ body: HTTPRequestBody?) async throws -> HTTPRequestBody? {
        guard case .stream(let stream, _) = body?.content else { return body }
        var bytes: [UInt8] = []
        do {
            for try await piece in stream {
                bytes += piece
                if fault == .buffersOnePiece { break }
            }
        } catch {
            guard fault == .endsFailedStreams else { throw error }
        }
        return HTTPRequestBody(bytes)
    }

    private func changed(_ body: HTTPResponseBody, isEcho: Bool) async -> HTTPResponseBody {
        switch fault {
        case .truncatesBodies:
            return HTTPResponseBody {
                var (iterator, count) = (body.makeAsyncIterator(), 0)
                return .init {
                    guard count < 1 << 20, let piece = try await iterator.next() else { return nil }
                    count += piece.count
                    return Array(piece.prefix(1 << 20))
                }
            }
        case .hidesEarlyEnds:
            return HTTPResponseBody {
                var iterator = body.makeAsyncIterator()
                return .init { try? await iterator.next() }
            }
        case .mixesResponses where isEcho:
            var bytes: [UInt8] = []
            var iterator = body.makeAsyncIterator()
            while let piece = try? await iterator.next() { bytes += piece }
            return HTTPResponseBody(
                last.withLock { last in
                    defer { last = bytes }
                    return last.isEmpty ? bytes : last
                }
            )
        default: return body
        }
    }
}
