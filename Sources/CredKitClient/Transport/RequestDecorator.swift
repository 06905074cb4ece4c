// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Adds credentials to each hop of a request, and receives the head of each hop's response.
///
/// For each hop, `decorate`, `receive` and `stops` are called in this order.
package protocol RequestDecorator: Sendable {
    /// Adds cookies, tokens and other credentials for the hop's URL. The head already contains the caller's
    /// headers that are allowed on this hop.
    func decorate(_ request: inout HTTPRequest, on hop: RequestHop) async throws(ClientError)

    /// Receives the head of a hop's response, including redirects, for example its Set-Cookie fields.
    func receive(_ head: HTTPResponse, on hop: RequestHop) async throws(ClientError)

    /// Whether to return the response instead of following its redirect, for example a redirect to the login
    /// page.
    func stops(at target: HTTPURL, from hop: RequestHop) async -> Bool
}

extension RequestDecorator {
    package func decorate(_ request: inout HTTPRequest, on hop: RequestHop) async throws(ClientError) {}
    package func receive(_ head: HTTPResponse, on hop: RequestHop) async throws(ClientError) {}
    package func stops(at target: HTTPURL, from hop: RequestHop) async -> Bool { false }
}

/// A decorator that does nothing.
package struct PlainDecorator: RequestDecorator {
    package init() {}
}
