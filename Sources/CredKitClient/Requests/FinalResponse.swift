// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The final response to a request, after all redirects.
package struct FinalResponse<Body: Sendable>: Sendable {
    package var head: HTTPResponse
    package var body: Body
    /// The request that the response answers.
    package var step: RedirectStep
    /// The target of the redirect, if it was not followed, because the response is the answer.
    package var stoppedAt: HTTPURL?
    /// How the cache took part.
    var cacheUse = CacheUse.network
    /// Whether the response means that the login has expired, but no user is logged in.
    var isExpired = false
    /// What decoding the body may cost.
    var budget = DecodingBudget()
}
