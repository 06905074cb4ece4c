// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A form with a proof of the password for a challenge of the server.
struct TimestampedFormMechanism: LoginMechanism {
    /// The maximum time to wait for a new challenge: a minute and a margin for clock differences.
    private static let longestWait = Duration.seconds(65)

    let form: FormMechanism
    let keyPhrase: String
    let source: LoginProfile.ChallengeSource

    var name: String { form.name }

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        var (asksForCode, hasWaited) = (false, false)
        while true {
            do throws(ClientError) {
                // After a wait it is another code: one is not valid for long, and may be used up.
                let code = asksForCode ? try await exchange.oneTimeCode(for: account) : nil
                return try await attempt(account, secret, code, exchange.restarted)
            } catch {
                if error == .oneTimeCodeRequired, !asksForCode {
                    asksForCode = true
                    continue
                }
                guard !hasWaited else { throw error }
                try await waitForNextMinute(after: error, exchange)
                hasWaited = true
            }
        }
    }

    /// Waits after a login that the server refused because the same user has already logged in during this minute; the
    /// next minute will be accepted.
    private func waitForNextMinute(
        after error: ClientError,
        _ exchange: LoginExchange
    ) async throws(ClientError) {
        guard error == .tooManyAttempts, exchange.flow.retriesWithNewChallenge,
            let wait = error.retryAfter, wait <= Self.longestWait
        else { throw error }
        do {
            try await Task.sleep(for: max(.seconds(1), wait), tolerance: .milliseconds(100))
        } catch {
            throw .cancelled
        }
    }

    private func attempt(
        _ account: String,
        _ password: SecretBytes,
        _ code: SecretBytes?,
        _ exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        let (text, offset) = try await challenge(exchange)
        let proof = Legacy.TimestampedLogin(keyPhrase: keyPhrase).proof(for: password, challenge: text)
        let field: SecretBytes
        do throws(SecretMemoryError) {
            field = try SecretBytes(proof.hex)
        } catch {
            throw .outOfMemory
        }
        var outcome = try await form.logIn(account, secret: field, code: code, over: exchange)
        outcome.serverUTCOffset = offset
        return outcome
    }

    /// Fetches the server's challenge, and throws if it must not be used. Returns it with the offset of the server's
    /// clock to remember.
    func challenge(_ exchange: LoginExchange) async throws(ClientError) -> (text: String, offset: Duration?) {
        let answer = try await exchange.send(
            .get,
            path: source.path,
            headers: [.cacheControl: "no-cache"],
            redirects: .followWithinOrigins
        )
        // No secret has been sent yet.
        let message = ServerMessage.text(of: answer.head, answer.body)
        try LoginVerdict.checkAvailability(answer.head, message)
        guard answer.head.status.code == 200 else {
            throw .unexpectedStatus(
                answer.head.status.code,
                "cannot get the server's challenge: status \(answer.head.status.code)",
                serverMessage: message
            )
        }
        guard case .text(let text)? = JSONMember.find(source.field, in: answer.body) else {
            throw .malformedChallenge("the server's response has no challenge in a member '\(source.field)'")
        }
        let check = ServerTimeCheck(
            format: source.format,
            zone: try source.timeZone.map { (name) throws(ClientError) in try ServerZone(name) },
            knownOffset: exchange.flow.serverUTCOffset,
            trustedUTCOffset: exchange.flow.trustedUTCOffset
        )
        return (text, try check.check(text, now: exchange.flow.now()))
    }
}
