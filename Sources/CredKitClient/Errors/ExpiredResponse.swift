// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The response to a request that failed because it means that the login has expired, and the login could not be renewed.
package struct ExpiredResponse: Sendable {
    /// The head, without cookies and token.
    package let head: HTTPResponse
    /// The body; `nil` if it could not be read.
    package let body: [UInt8]?
}
