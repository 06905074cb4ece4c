// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A caller's hold of an endpoint, until its response was read or dropped. Meanwhile a later caller replaces it, or is
/// ignored.
final class EndpointHold: Sendable {
    /// An endpoint with any parameters, as bytes.
    struct Key: Hashable, Sendable {
        private let endpoint: [UInt8]
        /// The user whose later requests are ignored; `nil` if they replace this one.
        private let user: Int?

        static func replacing(_ request: HTTPRequest) -> Self { Self(request, nil) }

        static func ignoring(_ request: HTTPRequest, of user: Int) -> Self { Self(request, user) }

        private init(_ request: HTTPRequest, _ user: Int?) {
            let server = "\(request.method.rawValue) \(request.scheme ?? "")://\(request.authority ?? "")"
            endpoint = Array(server.utf8) + (request.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }
            self.user = user
        }
    }

    private let key: Key
    /// What the caller waits for. A caller that replaces this one cancels it.
    let work: CancellableWork
    private let underWay: RequestsUnderWay

    init(_ key: Key, _ work: CancellableWork, in underWay: RequestsUnderWay) {
        (self.key, self.work, self.underWay) = (key, work, underWay)
    }

    // A body that is never read to its end is dropped.
    deinit { end() }

    /// Lets go of the endpoint. Only the first call has an effect.
    func end() { underWay.release(key, work) }
}

extension HTTPResponseBody {
    /// Returns the same body, which holds an endpoint until it was read to its end or dropped.
    func holding(_ hold: EndpointHold) -> HTTPResponseBody {
        guard bytes == nil else {
            hold.end()
            return self
        }
        var body = HTTPResponseBody {
            let reader = HTTPBodyReader(self.makeAsyncIterator())
            return AsyncIterator { () async throws(ClientError) in
                do throws(ClientError) {
                    let piece = try await hold.work.run { () async throws(ClientError) in
                        try await reader.next()
                    }
                    if piece == nil { hold.end() }
                    return piece
                } catch {
                    hold.end()
                    throw error
                }
            }
        }
        body.failureCode = failureCode
        return body
    }
}
