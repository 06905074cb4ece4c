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
        let form = form(account, secret)
        let answer: LoginExchange.Answer
        if isInURL {
            let query = String(decoding: form, as: UTF8.self).replacing("+", with: "%20")
            answer = try await exchange.send(.get, path: profile.loginPath, query: query)
        } else {
            answer = try await exchange.send(
                .post,
                path: profile.loginPath,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: HTTPRequestBody(form)
            )
        }
        try LoginVerdict(profile: profile).check(answer.response)
        return LoginOutcome()
    }

    private func form(_ account: String, _ secret: SecretBytes) -> [UInt8] {
        var bytes = FormEncoding.encode([(key: profile.usernameField, value: account)])
        bytes.append(UInt8(ascii: "&"))
        FormEncoding.append(profile.passwordField.utf8, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        secret.withSecretBytes { secret in
            FormEncoding.append(secret.indices.map { secret[$0] }, to: &bytes)
        }
        return bytes
    }
}
