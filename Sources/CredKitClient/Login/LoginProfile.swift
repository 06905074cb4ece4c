// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How one server wants its users to log in: which paths, which fields, what counts as success.
///
/// ```swift
/// let article = LoginProfile.timestamped(keyPhrase: "itheima")
/// var form = LoginProfile.form(path: "/login.php")
/// form.success = .envelope(.codeData)
/// ```
///
/// A profile can be written as JSON, see ``init(json:)``.
public struct LoginProfile: Sendable, Hashable {
    /// What is posted in place of the password.
    public enum Scheme: Sendable, Hashable {
        /// A proof, made of the password and a time text that the server hands out:
        /// ``CredKit/Legacy/TimestampedLogin``. The password itself is never sent.
        ///
        /// > Warning: A proof that was overheard lets its finder guess the password offline, and whoever can change what
        /// > the server answers may harvest a proof for another minute. Only TLS prevents both.
        case timestamped(keyPhrase: String, time: TimeText)
        /// The password itself in a form. Only TLS keeps it secret.
        case form
        /// The password itself in the URL, where logs of servers and proxies keep it. Only for servers that know
        /// nothing else.
        case insecureGetForm
    }

    /// Where the time text comes from, and what it must look like.
    public struct TimeText: Sendable, Hashable {
        /// What the text must look like.
        public enum Format: String, Sendable, Hashable {
            /// It begins with `yyyy-MM-dd HH:mm`; anything may follow. The minute is checked against this computer's clock.
            case minute
            /// Any text. Nothing is checked: whoever can change what the server answers gets a proof for any minute.
            case opaque
        }

        /// The path that answers with the text.
        public var path = "/hmackey.php"

        /// The JSON member that has the text; dots lead into objects, as in `data.key`.
        public var field = "key"

        /// What the text must look like.
        public var format = Format.minute

        /// The zone of the server's clock: a name of the tz database such as `Asia/Shanghai`, `UTC`, or an offset such as
        /// `+08:00`. With it, the minute must be within 5 of this computer's clock. Without it, the offset that is
        /// seen at the first login is remembered, and a later change is refused until it is accepted.
        public var timeZone: String?

        /// The article's: `key` of `/hmackey.php`.
        public init() {}
    }

    /// How a response to a login tells success from rejection. Whatever the rule, a status of 401 or 403 means rejected, and
    /// 429 and 500 to 599 mean trouble that says nothing about the password.
    public enum SuccessRule: Sendable, Hashable {
        /// A number in the JSON body is greater than a bound: success. Any other number, text, null or `false`: rejected.
        /// Without such a member the response cannot be understood.
        case field(String, greaterThan: Int)
        /// The envelope's code is that of success. Other codes mean rejected, save 429 and 500 to 599.
        case envelope(Envelope)
        /// The response has this status.
        case status(Int)
    }

    /// Which responses mean that a login has expired. A bare 500 never does.
    public struct ExpiryRule: Sendable, Hashable {
        /// Statuses from 400 to 499; 401. A redirect is followed: for those that lead to a login page there is
        /// ``loginPages``.
        public var statuses: Set<Int> = [401]

        /// Codes of the envelope; none.
        public var codes: Set<Int> = []

        /// Paths of login pages: a redirect to one of them; none.
        public var loginPages: Set<String> = []

        /// A status of 401.
        public init() {}
    }

    /// What is posted in place of the password.
    public var scheme: Scheme

    /// The path that the form is posted to.
    public var loginPath: String

    /// The form's field for the user's name.
    public var usernameField = "username"

    /// The form's field for the password or the proof.
    public var passwordField = "password"

    /// How a response tells success from rejection; by default a JSON member `userId` that is greater than 0.
    public var success = SuccessRule.field("userId", greaterThan: 0)

    /// The path that a logout is posted to, whatever it answers; `nil` for none.
    public var logoutPath: String? = "/logout.php"

    /// The response header that carries a token, which later requests send in a header of the same name; `nil` for none.
    public var tokenHeader: String? = "x-auth-token"

    /// Which responses mean that a login has expired.
    public var expiry = ExpiryRule()

    /// A profile.
    ///
    /// - Parameters:
    ///   - scheme: What is posted in place of the password.
    ///   - loginPath: The path that the form is posted to.
    public init(scheme: Scheme, loginPath: String) {
        self.scheme = scheme
        self.loginPath = loginPath
    }

    /// The article's timestamped login: the time text is `key` of `/hmackey.php`, and the proof is posted to
    /// `/loginhmac.php`.
    ///
    /// - Parameters:
    ///   - keyPhrase: The phrase that client and server have in common. It is no secret: every copy of a client has it.
    ///   - time: Where the time text comes from.
    /// - Returns: The profile.
    public static func timestamped(keyPhrase: String, time: TimeText = TimeText()) -> Self {
        Self(scheme: .timestamped(keyPhrase: keyPhrase, time: time), loginPath: "/loginhmac.php")
    }

    /// A form with name and password, posted to `/login.php`.
    ///
    /// - Parameter path: The path that it is posted to.
    /// - Returns: The profile.
    public static func form(path: String = "/login.php") -> Self { Self(scheme: .form, loginPath: path) }

    /// Name and password in the URL of a GET request, as the oldest servers want them.
    ///
    /// > Warning: Servers and proxies write URLs into their logs, and with them the password. Use ``form(path:)``.
    ///
    /// - Parameter path: The path that the request goes to.
    /// - Returns: The profile.
    public static func insecureGetForm(path: String = "/login.php") -> Self {
        Self(scheme: .insecureGetForm, loginPath: path)
    }
}
