// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

/// The cookies and the token of a login in progress. The session takes them over only after the login has
/// succeeded.
final class LoginCookies: Sendable {
    private struct State {
        var jar: CookieJar
        var token: SecretBytes?
    }

    private let state: Lock<State>
    private let origins: Set<Origin>
    private let tokenField: HTTPField.Name?
    private let now: @Sendable () -> UnixTime

    init(
        jar: CookieJar,
        token: SecretBytes? = nil,
        origins: Set<Origin>,
        tokenHeader: String?,
        now: @escaping @Sendable () -> UnixTime
    ) {
        state = Lock(State(jar: jar, token: token))
        self.origins = origins
        tokenField = tokenHeader.flatMap { HTTPField.Name($0) }
        self.now = now
    }

    var contents: (jar: CookieJar, token: SecretBytes?) { state.withLock { ($0.jar, $0.token) } }

    func add(to request: inout HTTPRequest, at step: RedirectStep) {
        guard origins.contains(step.url.origin) else { return }
        let now = now()
        let context = SessionCredentials.context(of: step, method: request.method)
        let cookies = state.withLock { $0.jar.header(for: step.url, at: now, context: context) }
        if let cookies { request.headerFields[.cookie] = cookies }
    }

    /// Adds the token to the program's own requests only. If another origin redirected here, that origin
    /// chose the URL.
    func addToken(to request: inout HTTPRequest, at step: RedirectStep) {
        guard origins.contains(step.url.origin), !step.isRedirectTainted, let tokenField else { return }
        if let token = contents.token { request.headerFields[tokenField] = token.text }
    }

    /// Takes cookies and token of a response, unless another origin redirected to it.
    func take(_ head: HTTPResponse, at step: RedirectStep) throws(ClientError) {
        guard origins.contains(step.url.origin), !step.isRedirectTainted else { return }
        let now = now()
        if let tokenField, !head.headerFields.areUTF8(tokenField) {
            throw .malformedResponse("the server sent a token that is not UTF-8")
        }
        let token = try tokenField.flatMap { head.headerFields[$0] }.map(SecretBytes.init(token:))
        state.withLock { state in
            state.jar.store(head.headerFields.valuesInUTF8(.setCookie), from: step.url, at: now)
            if let token, !token.isEmpty { state.token = token }
        }
    }
}

/// Adds cookies to the requests of a login, and stores those in its responses.
struct LoginCredentials: RequestInterceptor {
    let cookies: LoginCookies

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var request = request
        cookies.add(to: &request, at: next.step)
        let response = try await next(request, body: body)
        try cookies.take(response.head, at: next.step)
        return response
    }
}

/// Adds cookies and token to a request in the name of the user, such as a logout, and ignores those in its response.
struct LogoutCredentials: RequestInterceptor {
    let cookies: LoginCookies

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var request = request
        cookies.add(to: &request, at: next.step)
        cookies.addToken(to: &request, at: next.step)
        return try await next(request, body: body)
    }
}
