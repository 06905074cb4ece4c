// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// One login: it gives a mechanism what it needs, and collects cookies and token.
struct LoginFlow: Sendable {
    /// The result of a login.
    struct Login: Sendable {
        var jar: CookieJar
        var token: SecretBytes?
        /// The offset of the server's clock to remember.
        var serverUTCOffset: Duration?
    }

    let runner: RequestRunner
    let server: HTTPURL
    let profile: LoginProfile
    let credentialOrigins: Set<Origin>
    let headers: HTTPFields
    let serverUTCOffset: Duration?
    let trustedUTCOffset: Duration?
    let retriesWithNewChallenge: Bool
    let now: @Sendable () -> UnixTime

    /// Logs in. It never renews a login.
    func run(username: String, password: SecretBytes, jar: CookieJar) async throws(ClientError) -> Login {
        let mechanism = profile.mechanism
        let cookies = cookies(jar, of: mechanism)
        let exchange = LoginExchange(self, cookies: cookies)
        let outcome = try await mechanism.logIn(username, secret: password, over: exchange)
        let (jar, token) = cookies.contents
        return Login(jar: jar, token: outcome.token ?? token, serverUTCOffset: outcome.serverUTCOffset)
    }

    /// Fetches the server's challenge without logging in.
    func challenge(_ mechanism: TimestampedMechanism) async throws(ClientError) -> String {
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
