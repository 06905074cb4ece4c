// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The response that a request ended with, after all redirects.
package struct FinalResponse<Body: Sendable>: Sendable {
    package var head: HTTPResponse
    package var body: Body
    /// The hop that it answers.
    package var hop: RequestHop
    /// Where it redirects to, if the decorator stopped there.
    package var stoppedAt: HTTPURL?
}
