// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Decides about requests to a ``CallbackServer``, before the login judges.
struct CallbackRules: Sendable {
    /// What to do with a request.
    enum Decision: Equatable, Sendable {
        /// Let the login judge.
        case judge
        /// Reject it as an answer that could have been meant for this login.
        case reject
        /// Answer with a page. This is no answer of an authorization server, and does not count as one.
        case show(CallbackPage)
    }

    /// The host and port of the redirect URL.
    let authority: String
    /// The path of the redirect URL.
    let path: String
    /// Whether the answer may be a form that is posted.
    let acceptsForms: Bool

    /// Decides about a request.
    func decide(_ request: CallbackRequest) -> Decision {
        // A name of an attacker that resolves to this computer.
        guard request.host == authority else { return .show(.wrong) }
        switch request.method {
        case "GET": break
        case "POST" where acceptsForms: break
        default: return .show(.wrongMethod)
        }
        // An image or a script of any page. Those are not shown to the user, and must not end the login either.
        guard request.secFetchDest ?? "document" == "document" else {
            return .show(request.path == "/favicon.ico" ? .notFound : .wrong)
        }
        if request.path == path { return .judge }
        return request.path == "/favicon.ico" ? .show(.notFound) : .reject
    }
}
