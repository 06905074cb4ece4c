// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// Gives the server a verifier of the password in place of one of the password-equivalent, in the session that was just
/// opened. Whether it succeeds makes no difference to the login.
struct SCRAMVerifierReplacement {
    /// How long the login waits for it.
    private static let timeout = Duration.seconds(5)

    let settings: SCRAMProfileMechanism
    let secret: SecretBytes

    func run(_ ticket: String, over exchange: LoginExchange) async {
        // A verifier is enough to guess the password.
        let origin = exchange.flow.server.origin
        guard origin.isSecure || exchange.flow.runner.rules.routes.isLocal(origin) else { return }
        let deadline = min(exchange.deadline, ContinuousClock.now + Self.timeout)
        let (secret, settings) = (self.secret, self.settings)
        do throws(ClientError) {
            let verifier = try await SCRAMComputation.run(until: deadline) { () throws(SCRAM.Error) in
                // One with which this client logs in the next time.
                let recommended = SCRAM.Iterations.recommended
                return try SCRAM.Verifier(
                    password: secret,
                    hashFunction: settings.hashFunction,
                    iterations: settings.maximumIterations < recommended.count
                        ? .fewer(settings.maximumIterations) : recommended,
                    preparation: settings.preparation
                )
            }
            _ = try await exchange.ending(by: deadline).send(
                .post,
                path: settings.verifierPath,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: HTTPRequestBody(
                    FormText.encode([
                        (key: "ticket", value: ticket), (key: "verifier", value: verifier.text()),
                    ])
                ),
                hops: [LogoutCredentials(cookies: exchange.cookies)]
            )
        } catch {
            // The server offers it again at the next login.
        }
    }
}
