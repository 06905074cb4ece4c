// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A way to log in: the requests that turn an account and its secret into a login, and the meaning of the answers.
///
/// ```swift
/// struct PINLogin: LoginMechanism {
///     let name = "pin"
///
///     func logIn(
///         _ account: String,
///         secret: SecretBytes,
///         over exchange: LoginExchange
///     ) async throws(ClientError) -> LoginOutcome {
///         let body = secret.withSecretBytes { pin in pin.indices.map { pin[$0] } }
///         let answer = try await exchange.send(.post, path: "/pin/\(account)", body: HTTPRequestBody(body))
///         guard answer.head.status == .ok else { throw ClientError.invalidCredentials }
///         return LoginOutcome()
///     }
/// }
///
/// let session = try LoginSession(server: url, profile: .mechanism(PINLogin()), keychain: keychain)
/// ```
///
/// A session does the rest: it logs in once for all requests that wait, keeps cookies and token for its own origins,
/// saves the secret in the keychain, and never tries a secret again that the server has rejected. It uses the mechanism
/// of its profile and no other.
public protocol LoginMechanism: Sendable, Hashable {
    /// The name of the mechanism, such as `form`, for messages and saved sessions. It contains no secret.
    var name: String { get }

    /// Where the token of later requests comes from. Default: ``LoginTokenSource/responses``.
    var tokenSource: LoginTokenSource { get }

    /// Whether a login can replace the secret, as OAuth replaces a refresh token. Default: `false`.
    ///
    /// Logins and renewals with such a secret exclude each other across the programs of this account, and are not cancelled
    /// halfway: a secret that is used up must not be sent again, and the new one must not be lost. The token of the login is
    /// saved in the encrypted session file, so that a later program does not need a login of its own.
    var replacesSecret: Bool { get }

    /// Whether a login proves who the account is. Default: `true`. With tokens, the name is a label that a user chooses: an explicit
    /// login is that of another user then, who must not see what was stored for the one before.
    var provesAccount: Bool { get }

    /// Logs an account in. It is called for the first login and for each renewal.
    ///
    /// - Parameters:
    ///   - account: The user name.
    ///   - secret: What the user entered, or what an earlier login returned as ``LoginOutcome/newSecret``.
    ///   - exchange: Sends the requests.
    /// - Returns: The outcome of a successful login.
    /// - Throws: ``ClientError/invalidCredentials`` if the server rejects the secret, which is then not tried again;
    ///   another error if the answer says nothing about the secret.
    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome

    /// Tells the server that the account logs out, after the session has forgotten its user. By default nothing is sent
    /// but the request to the profile's ``LoginProfile/logoutPath``, if it has one.
    ///
    /// - Parameters:
    ///   - account: The user name.
    ///   - secret: The secret, if it was saved.
    ///   - token: The value of the header ``LoginProfile/tokenHeader``, if there is one.
    ///   - exchange: Sends the requests. All of them together have 5 seconds.
    /// - Throws: Any error. It is logged, and the logout continues.
    func logOut(
        _ account: String,
        secret: SecretBytes?,
        token: SecretBytes?,
        over exchange: LoginExchange
    ) async throws(ClientError)
}

extension LoginMechanism {
    /// Tokens come from the headers of responses.
    public var tokenSource: LoginTokenSource { .responses }

    /// The server knows the account by its name.
    public var provesAccount: Bool { true }

    /// A login keeps its secret.
    public var replacesSecret: Bool { false }

    /// Sends nothing.
    public func logOut(
        _: String,
        secret _: SecretBytes?,
        token _: SecretBytes?,
        over _: LoginExchange
    ) async throws(ClientError) {}
}

/// Where the token of a session comes from.
public enum LoginTokenSource: Sendable, Hashable {
    /// Each response of a credential origin can set it, in the header ``LoginProfile/tokenHeader``. A request is sent
    /// without a token if there is none.
    case responses

    /// Only a login sets it, as ``LoginOutcome/token``. Without one a request is not sent: the session logs in first.
    /// Such a token is never sent over http to another computer, whatever the configuration allows.
    case login
}
