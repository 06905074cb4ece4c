// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginSession {
    /// Whether requests to a URL have the session's credentials, and are signed.
    package func sendsCredentials(to url: HTTPURL) -> Bool { credentialOrigins.contains(url.origin) }

    /// Whether a request may be signed: it goes to an origin that receives credentials, and no other has chosen its URL.
    func signs(_ chain: RequestChain) -> Bool {
        sendsCredentials(to: chain.step.url) && !chain.isRedirectTainted
    }
}
