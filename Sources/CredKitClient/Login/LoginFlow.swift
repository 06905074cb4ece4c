// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// One login: it gives a mechanism what it needs, and collects cookies and token.
struct LoginFlow: Sendable {
    /// The result of a login.
    struct Login: Sendable {
        var jar: CookieJar
        var token: SecretBytes?
        /// When the token expires, as far as is known.
        var tokenExpiry: UnixTime?
        /// The words of the profile's scope that the server did not grant.
        var missingScope: [String] = []
        /// What replaces the secret of the login.
        var newSecret: SecretBytes?
        /// The offset of the server's clock to remember.
        var serverUTCOffset: Duration?
        /// Why the login failed although its secret was used up.
        var failure: ClientError?
        /// The key that the tokens are bound to, as far as the server supports that.
        var key: DPoPKey?

        /// Whether the access token is bound to the key.
        var isBound: Bool {
            token?.withSecretBytes { token in
                let prefix = Array(DPoPKey.tokenPrefix.utf8)
                return token.count > prefix.count && prefix.indices.allSatisfy { token[$0] == prefix[$0] }
            } ?? false
        }
    }

    let runner: RequestRunner
    let server: HTTPURL
    let profile: LoginProfile
    let credentialOrigins: Set<Origin>
    let headers: HTTPFields
    /// How far the server's clock was ahead of UTC at the first login.
    let serverUTCOffset: Duration?
    /// The offset that the user accepts instead.
    let trustedUTCOffset: Duration?
    let retriesWithNewChallenge: Bool
    let oneTimeCode: (@Sendable (String) async throws(ClientError) -> SecretBytes?)?
    /// The keys of earlier logins of the session.
    let scramKeys: SCRAMKeyCache
    /// How tokens are bound to a key; `nil` if they are not.
    let dpop: DPoPLogin?
    let now: @Sendable () -> UnixTime

    /// Logs in. It never renews a login.
    func run(username: String, password: SecretBytes, jar: CookieJar) async throws(ClientError) -> Login {
        try await run(jar: jar) { (mechanism, exchange) async throws(ClientError) in
            try await mechanism.logIn(username, secret: password, over: exchange)
        }
    }

    /// Logs in with the requests of a function.
    func run(
        jar: CookieJar,
        _ logIn: (any LoginMechanism, LoginExchange) async throws(ClientError) -> LoginOutcome
    ) async throws(ClientError) -> Login {
        let mechanism = profile.mechanism
        let cookies = cookies(jar, of: mechanism)
        let start = now()
        let binding = try dpop?.begin()
        let exchange = LoginExchange(self, cookies: cookies, dpop: binding)
        let outcome = try await logIn(mechanism, exchange)
        try await refuseDowngrade(outcome, mechanism, exchange)
        let (jar, token) = cookies.contents
        return Login(
            jar: jar,
            token: outcome.token ?? token,
            tokenExpiry: outcome.lifetime.flatMap { Self.expiry(of: $0, from: outcome.start ?? start) },
            missingScope: outcome.missingScope,
            newSecret: outcome.newSecret,
            serverUTCOffset: outcome.serverUTCOffset,
            failure: outcome.failure,
            key: binding?.key
        )
    }

    /// Throws if the tokens of a login must be bound to a key and are not. They are revoked: without the key, a thief could use
    /// them.
    private func refuseDowngrade(
        _ outcome: LoginOutcome,
        _ mechanism: any LoginMechanism,
        _ exchange: LoginExchange
    ) async throws(ClientError) {
        guard let downgrade = outcome.downgrade else { return }
        let end = ContinuousClock.now + LoginSession.serverDeadline
        try? await mechanism.logOut(
            "",
            secret: outcome.newSecret,
            token: outcome.token,
            over: exchange.restarted.ending(by: end)
        )
        throw downgrade
    }

    /// Returns when a token should be replaced: a little before the server refuses it. A token that has already expired
    /// would make each request log in; whether it is one, the server decides.
    private static func expiry(of lifetime: Duration, from start: UnixTime) -> UnixTime? {
        let seconds = lifetime.components.seconds
        guard seconds > 0 else { return nil }
        return start + .seconds(seconds - min(seconds / 10, 10))
    }

    /// Tells the server that an account logs out.
    func logOut(
        _ account: String,
        secret: SecretBytes?,
        token: SecretBytes?,
        jar: CookieJar,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) {
        let mechanism = profile.mechanism
        let exchange = LoginExchange(self, cookies: cookies(jar, of: mechanism), deadline: deadline)
        try await mechanism.logOut(account, secret: secret, token: token, over: exchange)
    }

    /// Fetches the server's challenge without logging in.
    func challenge(_ mechanism: TimestampedFormMechanism) async throws(ClientError) -> String {
        let cookies = cookies(CookieJar(), of: mechanism)
        return try await mechanism.challenge(LoginExchange(self, cookies: cookies)).text
    }

    private func cookies(_ jar: CookieJar, of mechanism: any LoginMechanism) -> LoginCookies {
        LoginCookies(
            jar: jar,
            origins: credentialOrigins,
            tokenHeader: mechanism.tokenSource == .responses ? profile.tokenHeader : nil,
            now: now
        )
    }
}
