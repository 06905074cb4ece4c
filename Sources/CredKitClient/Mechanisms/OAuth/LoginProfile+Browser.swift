// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginProfile {
    /// How a user logs in with a browser on this computer: the authorization code grant of OAuth 2.0
    /// ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749), section 4.1) for native programs
    /// ([RFC 8252](https://www.rfc-editor.org/rfc/rfc8252)), with a proof key
    /// ([RFC 7636](https://www.rfc-editor.org/rfc/rfc7636)).
    ///
    /// ```swift
    /// var login = LoginProfile.BrowserLogin(authorizationURL: "https://login.school.example/authorize")
    /// login.parameters["access_type"] = "offline"
    /// ```
    public struct BrowserLogin: Sendable, Hashable {
        /// How the browser brings the answer.
        public enum ResponseMode: String, Sendable, Hashable, Codable {
            /// In the URL, which stays in the browser's history. The code there is spent.
            case query
            /// In a form, for servers that support it (OAuth 2.0 Form Post Response Mode).
            case formPost = "form_post"
        }

        /// The redirect URL of a profile that names none.
        public static let defaultRedirectURL = "http://127.0.0.1/callback"

        /// The https URL of the authorization endpoint. It may be at another origin than the profile's server: only the browser
        /// goes there.
        public var authorizationURL: String

        /// The server's name of itself: an answer with another one is refused
        /// ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)). `nil` for a server that does not name itself in answers.
        public var issuer: String?

        /// Whether an answer without that name is refused, because the server announces that it always names itself.
        public var requiresIssuer = false

        /// Where the browser brings the answer, as it is registered at the server: a path of 127.0.0.1, `[::1]` or `localhost`.
        /// With a port, that port must be free; otherwise the system chooses one, which most servers accept.
        public var redirectURL = Self.defaultRedirectURL

        /// How the browser brings the answer; `nil` for the server's default.
        public var responseMode: ResponseMode?

        /// Further parameters of the request. They replace none of CredKit's own, such as `scope`.
        public var parameters: [String: String] = [:]

        /// Creates the usual settings.
        ///
        /// - Parameter authorizationURL: The https URL of the authorization endpoint.
        public init(authorizationURL: String) { self.authorizationURL = authorizationURL }
    }

    /// How a client with a secret authenticates itself at the token endpoint.
    public enum ClientAuthentication: String, Sendable, Hashable, Codable {
        /// By `Authorization: Basic` (RFC 6749, section 2.3.1).
        case basic
        /// In the form, for servers that do not support the header.
        case post
    }

    /// Whether a user can log in with a browser on this computer.
    package var hasBrowserLogin: Bool { (mechanism as? OAuthMechanism)?.authorizationURL != nil }

    /// Where the browser brings the answer; `nil` if there is no such login.
    package var redirectURL: String? {
        guard hasBrowserLogin else { return nil }
        return (mechanism as? OAuthMechanism)?.redirectURL ?? BrowserLogin.defaultRedirectURL
    }

    /// Whether the client identifier is what stands in the profiles of `docs/profiles` for the user's own.
    package var lacksClientID: Bool {
        (mechanism as? OAuthMechanism).map { ASCIIText.areEqual($0.clientID, "CLIENT-ID") } ?? false
    }

    /// Changes the settings of an OAuth profile that a user can choose at a login. What is `nil` stays.
    ///
    /// - Parameters:
    ///   - clientID: The identifier of the program at the authorization server.
    ///   - scope: What to ask for.
    ///   - resource: The resource that the tokens are for.
    ///   - redirectURL: Where the browser brings the answer.
    ///   - parameters: Further parameters of the request that the browser takes to the server.
    ///   - dpop: Whether tokens are bound to a key.
    /// - Throws: ``ClientError/invalidProfile`` if the profile is not one of OAuth, or cannot have these settings.
    package mutating func set(
        clientID: String? = nil,
        scope: String? = nil,
        resource: String? = nil,
        redirectURL: String? = nil,
        parameters: [String: String] = [:],
        dpop: DPoPMode? = nil
    ) throws(ClientError) {
        guard case .mechanism(var oauth as OAuthMechanism) = scheme else {
            throw .invalidProfile("the login profile is not one of OAuth")
        }
        if let clientID { oauth.clientID = clientID }
        if let scope { oauth.scope = scope }
        if let resource { oauth.resource = resource }
        if let redirectURL { oauth.redirectURL = redirectURL }
        if !parameters.isEmpty { oauth.parameters = (oauth.parameters ?? [:]).merging(parameters) { $1 } }
        if let dpop { oauth.dpop = dpop }
        scheme = .mechanism(oauth)
        try check()
    }
}
