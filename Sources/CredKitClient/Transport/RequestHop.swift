// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One of the requests that make up a logical one.
package struct RequestHop: Sendable {
    /// Where the hop goes.
    package var url: HTTPURL
    /// 0 for the first, then counting redirects.
    package var number: Int
    /// Whether this hop, or one before it, goes to an origin outside the allowed ones.
    package var hasLeftAllowedOrigins: Bool

    package init(url: HTTPURL, number: Int = 0, hasLeftAllowedOrigins: Bool = false) {
        self.url = url
        self.number = number
        self.hasLeftAllowedOrigins = hasLeftAllowedOrigins
    }
}
