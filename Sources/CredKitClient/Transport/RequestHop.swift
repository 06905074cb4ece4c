// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One of the HTTP requests that make up a logical request.
package struct RequestHop: Sendable {
    /// The URL of the hop.
    package var url: HTTPURL
    /// 0 for the first hop, then the number of redirects.
    package var number: Int
    /// Whether this hop, or an earlier one, goes to an origin outside the allowed ones.
    package var hasLeftAllowedOrigins: Bool

    package init(url: HTTPURL, number: Int = 0, hasLeftAllowedOrigins: Bool = false) {
        self.url = url
        self.number = number
        self.hasLeftAllowedOrigins = hasLeftAllowedOrigins
    }
}
