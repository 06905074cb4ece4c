// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import HTTPTypes

/// The client half of ``PINMechanism``, as a program that depends on CredKit would add it.
struct PINLogin: LoginMechanism {
    let name = "pin"

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        let issued = try await exchange.send(.get, path: "/pin/number")
        guard issued.head.status == .ok else { throw .malformedChallenge }
        // The number, a blank and the PIN.
        let pin = secret.withSecretBytes { pin in pin.indices.map { pin[$0] } }
        var answer = try await exchange.send(
            .post,
            path: "/pin/\(account)",
            body: HTTPRequestBody(issued.body + [0x20] + pin)
        )
        if answer.head.status == .preconditionRequired {
            let code = try await exchange.oneTimeCode(for: account)
            answer = try await exchange.send(
                .post,
                path: "/pin/\(account)",
                headers: [
                    .authorization: code.withSecretBytes { code in
                        String(decoding: code.indices.map { code[$0] }, as: UTF8.self)
                    }
                ],
                body: HTTPRequestBody(issued.body + [0x20] + pin)
            )
        }
        switch answer.head.status {
        case .ok: return LoginOutcome()
        case .unauthorized: throw .invalidCredentials
        default: throw .unexpectedStatus
        }
    }
}
