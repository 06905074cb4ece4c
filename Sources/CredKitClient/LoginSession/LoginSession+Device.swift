// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

extension LoginSession {
    /// Logs a user in who confirms the login with another device, such as a phone: the device authorization grant of
    /// OAuth 2.0 ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).
    ///
    /// ```swift
    /// try await session.logInWithDevice(username: "alice") { authorization in
    ///     print("Open \(authorization.verificationURI) and enter \(authorization.userCode)")
    /// }
    /// ```
    ///
    /// On success the refresh token is saved in the keychain in place of a password; see
    /// ``logIn(username:password:savesPassword:)``. Without a refresh token the login cannot be renewed.
    ///
    /// - Parameters:
    ///   - username: The name that the login is saved under. The server does not check it: the user chooses an account
    ///     at the authorization server.
    ///   - savesToken: Whether to save the refresh token. Otherwise it is in memory until this session logs out; no
    ///     later process can renew the login or revoke the token.
    ///   - show: Shows the code and the URL to the user. The login waits for it to return, and then for the user.
    /// - Throws: ``ClientError/invalidProfile`` if the profile is not one of OAuth with a path for it;
    ///   ``ClientError/invalidCredentials`` if the user refuses; ``ClientError/timedOut`` if the code
    ///   expires; other errors of the connection, the server's answers or the keychain.
    public func logInWithDevice(
        username: String,
        savesToken: Bool = true,
        showing show: @escaping @Sendable (DeviceAuthorization) async -> Void
    ) async throws(ClientError) {
        guard !username.isEmpty else { throw .invalidRequest("cannot log in: the user name is empty") }
        guard let mechanism = mechanism as? OAuthMechanism else {
            throw .invalidProfile(
                "the login profile is not one of OAuth: there is no login with another device"
            )
        }
        let clock = configuration.clock
        // Not in turn: the user may take minutes, in which other operations continue.
        let flow = flow(serverUTCOffset: nil, trustedUTCOffset: nil)
        let jar = state.withLock { CookieJar(limits: $0.jar.limits, expiryPolicy: $0.jar.expiryPolicy) }
        let login = try await flow.run(jar: jar) { (_, exchange) async throws(ClientError) in
            let authorization = try await mechanism.authorizeDevice(over: exchange)
            await show(authorization)
            return try await mechanism.awaitConfirmation(of: authorization, over: exchange, clock: clock)
        }
        try await completeLogin(login, username: username, savesToken: savesToken, flow)
    }

    /// The words of an OAuth profile's scope that the server did not grant at the last login or renewal of this process
    /// ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749), section 3.3). Some servers grant the same by another name.
    public var missingScope: [String] { state.withLock { $0.missingScope } }
}
