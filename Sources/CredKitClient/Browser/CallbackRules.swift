// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Decides about requests to a ``CallbackServer``, before the login judges.
struct CallbackRules: Sendable {
    /// What to do with a request.
    enum Decision: Equatable, Sendable {
        /// Let the login judge.
        case judge
        /// Do not accept it, but tell the user if it is the right answer: it came to this URL.
        case tell(url: String)
        /// Reject it as an answer that could have been meant for this login.
        case reject
        /// Answer with a page. This is no answer of an authorization server, and does not count as one.
        case show(CallbackPage)
    }

    /// The origin of the redirect URL.
    let origin: Origin
    /// The path of the redirect URL.
    let path: String
    /// Whether the answer may be a form that is posted.
    let acceptsForms: Bool

    /// The hosts that redirect URLs can have. A server may take one for the other.
    private static let hosts = ["127.0.0.1", "localhost", "[::1]"]

    /// Decides about a request.
    func decide(_ request: CallbackRequest) -> Decision {
        // A program that looks, and does not open the page.
        guard request.method != "HEAD" else { return .show(.wrongMethod) }
        // A name of an attacker that resolves to this computer.
        guard request.host == origin.authority else {
            let other = Self.hosts.map { Origin(isSecure: false, host: $0, port: origin.port) }
                .first { $0.authority == request.host }
            guard let other, request.path == path else { return .show(.wrong) }
            return .tell(url: "\(other)\(path)")
        }
        // An image or a script of any page. Those are not shown to the user, and must not end the login either.
        guard request.secFetchDest ?? "document" == "document" else {
            return .show(request.path == "/favicon.ico" ? .notFound : .wrong)
        }
        if request.path == path { return .judge }
        return request.path == "/favicon.ico" ? .show(.notFound) : .reject
    }
}
