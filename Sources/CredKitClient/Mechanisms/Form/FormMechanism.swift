// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A form with a user name and a secret, as the fields of a profile describe it.
struct FormMechanism: LoginMechanism {
    let profile: LoginProfile
    /// Whether the form is the query of a GET request.
    var isInURL = false

    var name: String { profile.scheme.description }

    private var coding: PercentCoding { isInURL ? .query : .form }

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
        var form = form(account, secret)
        if let code, let field = profile.secondStep?.codeField { append(field, code, to: &form) }
        let answer: LoginExchange.Answer
        if isInURL {
            let query = String(decoding: form, as: UTF8.self)
            answer = try await exchange.send(.get, path: profile.loginPath, query: query)
        } else {
            answer = try await exchange.send(
                .post,
                path: profile.loginPath,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: HTTPRequestBody(form)
            )
        }
        if profile.secondStep?.isRequired(by: answer) == true {
            throw code == nil ? .oneTimeCodeRequired : .oneTimeCodeRejected
        }
        do throws(ClientError) {
            let secrets = [secret, code].compactMap { $0 }
            try LoginVerdict(profile: profile, secrets: secrets).check(answer.response)
        } catch {
            // The server has accepted the password before.
            throw code != nil && error == .invalidCredentials ? .oneTimeCodeRejected : error
        }
        return LoginOutcome()
    }

    private func form(_ account: String, _ secret: SecretBytes) -> [UInt8] {
        var bytes = FormText.encode([(key: profile.usernameField, value: account)], as: coding)
        append(profile.passwordField, secret, to: &bytes)
        return bytes
    }

    private func append(_ field: String, _ secret: SecretBytes, to form: inout [UInt8]) {
        form.append(UInt8(ascii: "&"))
        coding.append(field.utf8, to: &form)
        form.append(UInt8(ascii: "="))
        secret.withSecretBytes { secret in coding.append(secret, to: &form) }
    }
}
