// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// One request as its author sees it, however many hops it takes to answer it.
package struct OutgoingRequest: Sendable {
    package var method: HTTPRequest.Method
    package var url: HTTPURL
    /// The caller's own headers. Credentials are not among them: the decorator adds those, hop by hop.
    package var headers: HTTPFields
    package var body: RequestBody?

    package init(
        method: HTTPRequest.Method = .get,
        url: HTTPURL,
        headers: HTTPFields = [:],
        body: RequestBody? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}
