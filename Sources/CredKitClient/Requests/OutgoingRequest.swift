// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// One request from the caller's view, regardless of redirects.
package struct OutgoingRequest: Sendable {
    package var method: HTTPRequest.Method
    package var url: HTTPURL
    /// The caller's own headers, without credentials, which a later stage adds to the request of each redirect step.
    package var headers: HTTPFields
    package var body: HTTPRequestBody?

    package init(
        method: HTTPRequest.Method = .get,
        url: HTTPURL,
        headers: HTTPFields = [:],
        body: HTTPRequestBody? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The head of the request.
    var head: HTTPRequest {
        HTTPRequest(
            method: method,
            scheme: url.origin.scheme,
            authority: url.origin.authority,
            path: url.target,
            headerFields: headers
        )
    }
}
