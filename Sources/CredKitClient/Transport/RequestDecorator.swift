// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Adds credentials to each request of a redirect chain, and receives the head of each response.
///
/// For each step, `decorate`, `receive` and `stops` are called in this order.
package protocol RequestDecorator: Sendable {
    /// Adds cookies, tokens and other credentials for the step's URL. The head already contains the caller's
    /// headers that are allowed at this step.
    func decorate(_ request: inout HTTPRequest, at step: RedirectStep) async throws(ClientError)

    /// Receives the head of a step's response, including redirects, for example its Set-Cookie fields.
    func receive(_ head: HTTPResponse, at step: RedirectStep) async throws(ClientError)

    /// Whether to return the response instead of following its redirect, for example a redirect to the login
    /// page.
    func stops(at target: HTTPURL, from step: RedirectStep) async -> Bool
}

extension RequestDecorator {
    package func decorate(_ request: inout HTTPRequest, at step: RedirectStep) async throws(ClientError) {}
    package func receive(_ head: HTTPResponse, at step: RedirectStep) async throws(ClientError) {}
    package func stops(at target: HTTPURL, from step: RedirectStep) async -> Bool { false }
}

/// A decorator that does nothing.
package struct PlainDecorator: RequestDecorator {
    package init() {}
}
