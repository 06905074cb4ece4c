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
}

extension LoginMechanism {
    /// Tokens come from the headers of responses.
    public var tokenSource: LoginTokenSource { .responses }
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

/// The outcome of a successful login.
public struct LoginOutcome: Sendable {
    /// The value of the header ``LoginProfile/tokenHeader`` in later requests; `nil` for the one that a response set.
    public var token: SecretBytes?

    /// How far the server's clock is ahead of UTC, to be remembered.
    var serverUTCOffset: Duration?

    /// Creates an outcome.
    ///
    /// - Parameter token: The value of the header ``LoginProfile/tokenHeader`` in later requests; `nil` for the one that
    ///   a response set.
    public init(token: SecretBytes? = nil) { self.token = token }
}
