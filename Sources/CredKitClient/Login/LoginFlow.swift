// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// One login: its requests, and the interpretation of their responses.
struct LoginFlow: Sendable {
    /// The result of a login.
    struct Login: Sendable {
        var jar: CookieJar
        var token: SecretBytes?
        /// The offset of the server's clock to remember.
        var serverUTCOffset: Duration?
    }

    /// The maximum time to wait for a new challenge: a minute and a margin for clock differences.
    private static let longestWait = Duration.seconds(65)

    let runner: RequestRunner
    let server: HTTPURL
    let profile: LoginProfile
    let credentialOrigins: Set<Origin>
    let headers: HTTPFields
    let serverUTCOffset: Duration?
    let trustedUTCOffset: Duration?
    let retriesWithNewChallenge: Bool
    let now: @Sendable () -> UnixTime

    /// Logs in. It never renews a login, and never follows a redirect of the login request.
    func run(username: String, password: SecretBytes, jar: CookieJar) async throws(ClientError) -> Login {
        let cookies = LoginCookies(
            jar: jar,
            origins: credentialOrigins,
            tokenHeader: profile.tokenHeader,
            now: now
        )
        var offset: Duration?
        do throws(ClientError) {
            offset = try await attempt(username, password, cookies)
        } catch {
            // The same user has already logged in during this minute; the next minute will be accepted.
            guard error == .tooManyAttempts, retriesWithNewChallenge, case .timestamped = profile.scheme,
                let wait = error.retryAfter, wait <= Self.longestWait
            else { throw error }
            do {
                try await Task.sleep(for: max(.seconds(1), wait), tolerance: .milliseconds(100))
            } catch {
                throw .cancelled
            }
            offset = try await attempt(username, password, cookies)
        }
        let (jar, token) = cookies.contents
        return Login(jar: jar, token: token, serverUTCOffset: offset)
    }

    /// Makes one attempt within one timeout.
    private func attempt(
        _ username: String,
        _ password: SecretBytes,
        _ cookies: LoginCookies
    ) async throws(ClientError) -> Duration? {
        let deadline = runner.deadline
        let url = try server.appending(path: profile.loginPath)
        let fields: (name: String, value: SecretBytes)
        var offset: Duration?
        switch profile.scheme {
        case .timestamped(let keyPhrase, let time):
            let text: String
            (text, offset) = try await challenge(time, cookies, deadline: deadline)
            let proof = Legacy.TimestampedLogin(keyPhrase: keyPhrase).proof(for: password, challenge: text)
            do throws(SecretMemoryError) {
                fields = (profile.passwordField, try SecretBytes(proof.hex))
            } catch {
                throw .outOfMemory
            }
        case .form, .insecureGetForm: fields = (profile.passwordField, password)
        }
        let form = Self.form([profile.usernameField: username], fields.name, fields.value)
        var request: OutgoingRequest
        if case .insecureGetForm = profile.scheme {
            let query = String(decoding: form, as: UTF8.self).replacing("+", with: "%20")
            request = OutgoingRequest(
                url: HTTPURL(origin: url.origin, path: url.path, query: query),
                headers: headers
            )
        } else {
            request = OutgoingRequest(method: .post, url: url, headers: headers, body: HTTPRequestBody(form))
            request.headers[.contentType] = "application/x-www-form-urlencoded"
        }
        if request.headers[.userAgent] == nil { request.headers[.userAgent] = "CredKit" }
        // A login is posted only to the path in the profile.
        let response = try await runner.run(
            request,
            hops: [LoginCredentials(cookies: cookies)],
            stops: { _ in true },
            deadline: deadline
        )
        try LoginVerdict(profile: profile).check(response)
        return offset
    }

    /// Fetches the server's challenge without logging in.
    func challenge(_ time: LoginProfile.ChallengeSource) async throws(ClientError) -> String {
        let cookies = LoginCookies(
            jar: CookieJar(),
            origins: credentialOrigins,
            tokenHeader: profile.tokenHeader,
            now: now
        )
        return try await challenge(time, cookies, deadline: runner.deadline).text
    }

    /// Fetches the server's challenge, and throws if it must not be used.
    private func challenge(
        _ time: LoginProfile.ChallengeSource,
        _ cookies: LoginCookies,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> (text: String, offset: Duration?) {
        var request = OutgoingRequest(url: try server.appending(path: time.path), headers: headers)
        if request.headers[.userAgent] == nil { request.headers[.userAgent] = "CredKit" }
        request.headers[.cacheControl] = "no-cache"
        // An origin on the way that is not a credential origin could choose the URL, and so the challenge.
        let response = try await runner.run(
            request,
            hops: [LoginCredentials(cookies: cookies)],
            stops: { [credentialOrigins] in !credentialOrigins.contains($0.origin) },
            deadline: deadline
        )
        if let target = response.stoppedAt {
            throw .redirectRefused(
                "the server redirects the challenge request to \(target.origin), not a credential origin",
                status: response.head.status.code
            )
        }
        try LoginVerdict.checkAvailability(response.head)
        guard response.head.status.code == 200 else {
            throw .unexpectedStatus(
                response.head.status.code,
                "cannot get the server's challenge: status \(response.head.status.code)"
            )
        }
        guard case .text(let text)? = JSONMember.find(time.field, in: response.body) else {
            throw .malformedChallenge("the server's response has no challenge in a member '\(time.field)'")
        }
        let check = ServerTimeCheck(
            format: time.format,
            zone: try time.timeZone.map { (name) throws(ClientError) in try ServerZone(name) },
            knownOffset: serverUTCOffset,
            trustedUTCOffset: trustedUTCOffset
        )
        return (text, try check.check(text, now: now()))
    }

    private static func form(_ fields: [String: String], _ name: String, _ secret: SecretBytes) -> [UInt8] {
        var bytes = FormEncoding.encode(fields.map { (key: $0.key, value: $0.value) })
        bytes.append(UInt8(ascii: "&"))
        FormEncoding.append(name.utf8, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        secret.withSecretBytes { secret in
            FormEncoding.append(secret.indices.map { secret[$0] }, to: &bytes)
        }
        return bytes
    }
}
