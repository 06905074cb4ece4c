// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A form with a user name and a secret, as the fields of a profile describe it.
struct FormMechanism: LoginMechanism {
    let profile: LoginProfile
    /// Whether the form is the query of a GET request.
    var isInURL = false

    var name: String { profile.scheme.description }

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        do throws(ClientError) {
            return try await logIn(account, secret: secret, code: nil, over: exchange)
        } catch {
            guard error == .oneTimeCodeRequired else { throw error }
            let code = try await exchange.oneTimeCode(for: account)
            // The user may have taken a while to enter it.
            return try await logIn(account, secret: secret, code: code, over: exchange.restarted)
        }
    }

    /// Logs in with a code, or throws ``ClientError/oneTimeCodeRequired`` if one is needed.
    func logIn(
        _ account: String,
        secret: SecretBytes,
        code: SecretBytes?,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        let csrf = try await profile.csrfToken?.value(over: exchange)
        let cookies = exchange.cookies.contents.jar.cookies.map(\.value)
        let answer = try await send(account, secret, code, csrf, over: exchange)
        if profile.secondStep?.isRequired(by: answer) == true {
            throw code == nil ? .oneTimeCodeRequired : .oneTimeCodeRejected
        }
        do throws(ClientError) {
            let secrets = [secret, code].compactMap { $0 }
            let values = cookies + [csrf?.text].compactMap { $0 }
            try LoginVerdict(profile: profile, secrets: secrets, values: values).check(answer.response)
        } catch {
            // The server has accepted the password before.
            throw code != nil && error == .invalidCredentials ? .oneTimeCodeRejected : error
        }
        return LoginOutcome(token: try profile.token(in: answer))
    }

    private func send(
        _ account: String,
        _ secret: SecretBytes,
        _ code: SecretBytes?,
        _ csrf: LoginProfile.CSRFToken.Value?,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginExchange.Answer {
        var form = LoginForm(isInURL ? .query : profile.sendsJSON ? .json : .form)
        form.append(profile.usernameField, account)
        try form.append(profile.passwordField, secret)
        if let code, let field = profile.secondStep?.codeField { try form.append(field, code) }
        guard !isInURL else {
            let query = String(decoding: form.bytes, as: UTF8.self)
            return try await exchange.send(.get, path: profile.loginPath, query: query)
        }
        var headers: HTTPFields = [.contentType: form.contentType]
        if let csrf {
            headers[.referer] = csrf.page
            switch csrf.destination {
            case .field(let name): form.append(name, csrf.text)
            case .header(let name): if let name = HTTPField.Name(name) { headers[name] = csrf.text }
            }
        }
        return try await exchange.send(
            .post,
            path: profile.loginPath,
            headers: headers,
            body: HTTPRequestBody(form.bytes)
        )
    }
}
