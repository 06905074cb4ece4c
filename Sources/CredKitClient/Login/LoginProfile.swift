// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// How a server expects users to log in: paths, fields, and the meaning of responses.
///
/// ```swift
/// let timestamped = LoginProfile.timestamped(keyPhrase: "school-2012")
/// var form = LoginProfile.form(path: "/login.php")
/// form.success = .envelope(.codeData)
/// ```
///
/// A profile can be written as JSON, see ``init(json:)``.
public struct LoginProfile: Sendable, Hashable {
    /// The credential that is posted.
    public enum Scheme: Sendable, Hashable {
        /// A proof, computed from the password and a challenge from the server:
        /// ``CredKit/Legacy/TimestampedLogin``. The password itself is never sent.
        ///
        /// > Warning: An attacker who observes a proof can guess the password offline. An attacker who can
        /// > change the server's responses may obtain a proof for another minute. Only TLS prevents both.
        case timestamped(keyPhrase: String, challenge: ChallengeSource)
        /// The password itself in a form. Only TLS protects it.
        case form
        /// The password itself in the URL, where servers and proxies log it. Use it only for servers that
        /// support nothing else.
        case insecureGetForm
        /// What the mechanism sends. The profile's ``LoginProfile/loginPath``, fields and ``LoginProfile/success`` have no
        /// meaning then.
        case mechanism(any LoginMechanism)
    }

    /// How to tell success from rejection in the response to a login. With every rule, status 401 or 403
    /// means rejection, and 429 or 500 to 599 means an error that says nothing about the password.
    public enum SuccessRule: Sendable, Hashable {
        /// A number in the JSON body that is greater than a bound means success. Any other number, text, null
        /// or `false` means rejection. If the member is missing, the response is malformed.
        case field(String, greaterThan: Int)
        /// A success code in the envelope. Other codes mean rejection, except 429 and 500 to 599.
        case envelope(Envelope)
        /// This status.
        case status(Int)
    }

    /// Which responses mean that a login has expired. A status of 500 alone never does, nor does the response to a request that
    /// began at, or was redirected to, an origin that gets no credentials.
    public struct ExpiryRule: Sendable, Hashable {
        /// Statuses from 400 to 499; by default 401. Redirects are followed; for redirects to a login page
        /// use ``loginPages``.
        public var statuses: Set<Int> = [401]

        /// Codes of the envelope; by default none.
        public var codes: Set<Int> = []

        /// Paths of login pages, to which a redirect means expiry; by default none.
        public var loginPages: Set<String> = []

        /// Creates a rule with status 401.
        public init() {}
    }

    /// The credential that is posted.
    public var scheme: Scheme

    /// The URL of the server that logs users in, to which the profile's paths are appended, if it is another one than
    /// the session's; `nil` for the session's.
    ///
    /// The password is sent there, and its cookies and token serve the session's server too. The session's
    /// ``LoginSession/Configuration/credentialOrigins`` must therefore name both origins.
    public var server: String?

    /// The path to post the form to.
    public var loginPath: String

    /// The form field for the user name.
    public var usernameField = "username"

    /// The form field for the password or the proof.
    public var passwordField = "password"

    /// How to tell success from rejection; by default, a JSON member `userId` greater than 0.
    public var success = SuccessRule.field("userId", greaterThan: 0)

    /// How the server asks for a one-time code; `nil` if it never does.
    public var secondStep: SecondStep? = SecondStep()

    /// The path to post a logout to, whose response is ignored; `nil` for none.
    public var logoutPath: String? = "/logout.php"

    /// The response header with a token, which later requests send in a header of the same name; `nil` for
    /// none.
    public var tokenHeader: String? = "x-auth-token"

    /// Whether the fields are sent as an object of JSON instead of a form.
    public var sendsJSON = false

    /// The JSON member of the response to a login with a token, which later requests send in the header ``tokenHeader``;
    /// dots denote nested objects. `nil` for none.
    public var tokenMember: String?

    /// What stands before that token in the header; `nil` for `Bearer ` in the header `Authorization`, and nothing in others.
    public var tokenPrefix: String?

    /// The value of the login page that the server expects back; `nil` for none.
    public var csrfToken: CSRFToken?

    /// Which responses mean that a login has expired.
    public var expiry = ExpiryRule()

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - scheme: The credential that is posted.
    ///   - loginPath: The path to post the form to.
    public init(scheme: Scheme, loginPath: String) {
        self.scheme = scheme
        self.loginPath = loginPath
    }

    /// The legacy timestamped login: the challenge is `key` of `/hmackey.php`, and the proof is posted to
    /// `/loginhmac.php`.
    ///
    /// - Parameters:
    ///   - keyPhrase: The phrase that client and server share. It is not a secret: every copy of a client
    ///     contains it.
    ///   - challenge: The source of the challenge.
    /// - Returns: The profile.
    public static func timestamped(
        keyPhrase: String,
        challenge: ChallengeSource = ChallengeSource()
    ) -> Self {
        Self(scheme: .timestamped(keyPhrase: keyPhrase, challenge: challenge), loginPath: "/loginhmac.php")
    }

    /// A form with user name and password, posted to `/login.php`.
    ///
    /// - Parameter path: The path to post it to.
    /// - Returns: The profile.
    public static func form(path: String = "/login.php") -> Self { Self(scheme: .form, loginPath: path) }

    /// User name and password in the URL of a GET request, for very old servers.
    ///
    /// > Warning: Servers and proxies log URLs, and the password with them. Use ``form(path:)``.
    ///
    /// - Parameter path: The path of the request.
    /// - Returns: The profile.
    public static func insecureGetForm(path: String = "/login.php") -> Self {
        Self(scheme: .insecureGetForm, loginPath: path)
    }

    /// `Authorization: Basic` with each request ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617)): user name and password
    /// in UTF-8. Only TLS protects them, and each request carries them.
    ///
    /// The user name has no colon. The session keeps the password in guarded memory, and in no file but the keychain.
    ///
    /// - Parameter checkPath: The path that a login requests to find out whether the server accepts the password: status
    ///   401 means no, and every other that is no redirect means yes. `nil` for no request.
    /// - Returns: The profile.
    public static func basic(checkPath: String? = "/") -> Self {
        mechanism(BasicMechanism(checkPath: checkPath))
    }

    /// `Authorization: Bearer` with each request ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)): a token that
    /// another program has issued, given as the password. A thief can use it until it expires; it cannot be renewed.
    ///
    /// - Parameters:
    ///   - checkPath: As for ``basic(checkPath:)``.
    ///   - header: The header, for servers with another one, such as `PRIVATE-TOKEN`.
    ///   - prefix: What stands before the token in the header; `nil` for `Bearer ` in the header `Authorization`, and nothing
    ///     in others.
    /// - Returns: The profile.
    public static func bearer(
        checkPath: String? = "/",
        header: String = "authorization",
        prefix: String? = nil
    ) -> Self {
        var profile = mechanism(BearerMechanism(checkPath: checkPath, tokenPrefix: prefix))
        profile.tokenHeader = header
        return profile
    }

    /// `Authorization: Bearer` with an access token of an OAuth 2.0 authorization server, which the session renews with a
    /// refresh token ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749), section 6).
    ///
    /// ```swift
    /// var profile = LoginProfile.oauth(
    ///     clientID: "school-desktop", scope: "students", tokenPath: "/token",
    ///     deviceAuthorizationPath: "/device_authorization", revocationPath: "/revoke",
    ///     browserLogin: LoginProfile.BrowserLogin(authorizationURL: "https://login.school.example/authorize")
    /// )
    /// profile.server = "https://login.school.example"
    /// ```
    ///
    /// A user logs in with ``LoginSession/logInWithBrowser(username:savesToken:opening:)``,
    /// ``LoginSession/logInWithDevice(username:savesToken:showing:)``, or with a refresh token that another program has
    /// obtained, given as the password. The server may replace the refresh token at each renewal: the
    /// session stores the new one before it uses the access token, never sends one again that the server has replaced, and
    /// renews once for all requests and programs of the account ([RFC 9700](https://www.rfc-editor.org/rfc/rfc9700),
    /// section 4.14). A logout revokes it ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)).
    ///
    /// A new refresh token is lost with the server's answer: if the connection breaks, the time is over, or the program ends
    /// before it is stored. The old one is tried then; a server that allows each of them once ends the login.
    ///
    /// - Parameters:
    ///   - clientID: The identifier of the program at the authorization server.
    ///   - clientSecret: The client's password; `nil` for a public client. It is no secret in a program that others can
    ///     copy.
    ///   - clientAuthentication: How that is sent.
    ///   - scope: What to ask for; `nil` for the server's default.
    ///   - resource: The URI of the resource that the tokens are for
    ///     ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707)); `nil` for the server's default.
    ///   - tokenPath: The path of the token endpoint at ``server``.
    ///   - deviceAuthorizationPath: The path of the device authorization endpoint; `nil` if there is none.
    ///   - revocationPath: The path of the revocation endpoint; `nil` if there is none.
    ///   - browserLogin: How a user logs in with a browser; `nil` if that is not possible.
    ///   - dpop: Whether tokens are bound to a key; `nil` for no.
    /// - Returns: The profile.
    public static func oauth(
        clientID: String,
        clientSecret: String? = nil,
        clientAuthentication: ClientAuthentication = .basic,
        scope: String? = nil,
        resource: String? = nil,
        tokenPath: String,
        deviceAuthorizationPath: String? = nil,
        revocationPath: String? = nil,
        browserLogin: BrowserLogin? = nil,
        dpop: DPoPMode? = nil
    ) -> Self {
        var oauth = OAuthMechanism(clientID: clientID, clientSecret: clientSecret, tokenPath: tokenPath)
        // What has its default value is left out, as in a profile in JSON.
        if clientAuthentication != .basic { oauth.clientAuthentication = clientAuthentication }
        oauth.scope = scope
        oauth.resource = resource
        oauth.deviceAuthorizationPath = deviceAuthorizationPath
        oauth.revocationPath = revocationPath
        oauth.dpop = dpop
        if let login = browserLogin {
            oauth.authorizationURL = login.authorizationURL
            oauth.issuer = login.issuer
            if login.requiresIssuer { oauth.requiresIssuer = true }
            if !ASCIIText.areEqual(login.redirectURL, BrowserLogin.defaultRedirectURL) {
                oauth.redirectURL = login.redirectURL
            }
            oauth.responseMode = login.responseMode
            if !login.parameters.isEmpty { oauth.parameters = login.parameters }
        }
        return mechanism(oauth)
    }

    /// Whether a user can log in with another device.
    package var hasDeviceLogin: Bool { (mechanism as? OAuthMechanism)?.deviceAuthorizationPath != nil }

    /// Another login mechanism.
    ///
    /// The profile has no path for logouts. If only logins set the token (``LoginTokenSource/login``), it is sent as
    /// `Authorization`.
    ///
    /// - Parameter mechanism: The mechanism.
    /// - Returns: The profile.
    public static func mechanism(_ mechanism: some LoginMechanism) -> Self {
        var profile = Self(scheme: .mechanism(mechanism), loginPath: "/")
        profile.logoutPath = nil
        if mechanism.tokenSource == .login { profile.tokenHeader = "authorization" }
        return profile
    }

    /// The mechanism of each login. The profile alone decides; what the server offers does not count.
    var mechanism: any LoginMechanism {
        switch scheme {
        case .timestamped(let keyPhrase, let challenge):
            TimestampedFormMechanism(
                form: FormMechanism(profile: self),
                keyPhrase: keyPhrase,
                source: challenge
            )
        case .form: FormMechanism(profile: self)
        case .insecureGetForm: FormMechanism(profile: self, isInURL: true)
        case .mechanism(let mechanism): mechanism
        }
    }
}

extension LoginProfile.Scheme {
    /// Returns whether both schemes send the same for every password.
    public static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

    /// Hashes the scheme.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    private var identity: [AnyHashable] {
        switch self {
        case .timestamped(let keyPhrase, let challenge): [description, keyPhrase, challenge]
        case .form, .insecureGetForm: [description]
        case .mechanism(let mechanism): [AnyHashable(mechanism)]
        }
    }
}
