// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One request of a redirect chain: the original request, or one that a redirect leads to.
package struct RedirectStep: Sendable {
    /// The URL of the request.
    package var url: HTTPURL
    /// The number of redirects before this request; 0 for the original one.
    package var redirectCount: Int
    /// Whether this request, or an earlier one of the chain, goes to an origin outside the allowed ones. The Fetch
    /// standard speaks of a redirect taint.
    package var isRedirectTainted: Bool

    package init(url: HTTPURL, redirectCount: Int = 0, isRedirectTainted: Bool = false) {
        self.url = url
        self.redirectCount = redirectCount
        self.isRedirectTainted = isRedirectTainted
    }
}
