// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The owner of a request, who adds credentials to each hop and sees each hop's response head.
///
/// All of it is called in order: `decorate`, `receive`, `stops` for the first hop, then for the second.
package protocol RequestDecorator: Sendable {
    /// Adds cookies, tokens and what else belongs to the hop's URL. The head has the caller's headers
    /// already, as far as they go along on this hop.
    func decorate(_ request: inout HTTPRequest, on hop: RequestHop) async throws(LoginError)

    /// Learns what a hop's response says, also a redirect's: its Set-Cookie fields.
    func receive(_ head: HTTPResponse, on hop: RequestHop) async throws(LoginError)

    /// Whether not to follow a redirect but to hand on the response that has it: a redirect to the login
    /// page, say.
    func stops(at target: HTTPURL, from hop: RequestHop) async -> Bool
}

extension RequestDecorator {
    package func decorate(_ request: inout HTTPRequest, on hop: RequestHop) async throws(LoginError) {}
    package func receive(_ head: HTTPResponse, on hop: RequestHop) async throws(LoginError) {}
    package func stops(at target: HTTPURL, from hop: RequestHop) async -> Bool { false }
}

/// Adds nothing and wants to know nothing.
package struct PlainDecorator: RequestDecorator {
    package init() {}
}
