// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// One login by SCRAM: its requests and what they have in common.
struct SCRAMLogin {
    /// How often a login begins that is bound to a connection which the next request does not get.
    static let maximumAttemptCount = 3

    let settings: SCRAMMechanism
    let account: String
    let secret: SecretBytes
    /// The keys that were computed for this login, which a second step uses again.
    private var computed: SCRAM.ClientKeys?

    init(settings: SCRAMMechanism, account: String, secret: SecretBytes) {
        self.settings = settings
        self.account = account
        self.secret = secret
    }

    /// Logs in.
    ///
    /// - Parameters:
    ///   - code: The one-time code; `nil` for none.
    ///   - exchange: Sends the requests.
    /// - Returns: The outcome, after the server has proved itself.
    /// - Throws: ``ClientError/oneTimeCodeRequired`` if a code is needed; errors of the server and the connection.
    mutating func run(
        code: SecretBytes?,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        let offer = try await SCRAMOffer.negotiate(settings, over: exchange)
        var attemptCount = 1
        while true {
            do throws(ClientError) {
                return try await attempt(offer, code, exchange)
            } catch {
                guard attemptCount < Self.maximumAttemptCount, offer.mayBeginAnew(after: error, code: code)
                else { throw error }
                attemptCount += 1
            }
        }
    }

    private mutating func attempt(
        _ offer: SCRAMOffer,
        _ code: SecretBytes?,
        _ exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        let client: SCRAM.Client
        do throws(SCRAM.Error) {
            client = try SCRAM.Client(
                username: account,
                mechanism: offer.mechanism,
                binding: offer.binding,
                acceptedIterations: settings.acceptedIterations
            )
        } catch {
            throw .invalidRequest("cannot log in by SCRAM: \(error.message)")
        }
        let request = SCRAMRequest(offer: offer, path: settings.loginPath)
        let first = try await request.send(client.firstMessage, over: exchange, binding: offer.rule)
        let (challenge, sid) = try SCRAMAnswer(first, to: offer.mechanism).challenge(for: client)
        let password = try password(for: challenge)
        let keys = try await keys(password, for: challenge, exchange)
        let final: SCRAM.ClientFinal
        do throws(SCRAM.Error) {
            final = try client.finalMessage(for: challenge, keys: keys, binding: first.channelBinding)
        } catch {
            throw ClientError(error)
        }
        let last = try await request.send(
            final.message,
            sid: sid,
            code: code,
            over: exchange,
            binding: first.channelBinding.map { .exactly($0) }
        )
        let ticket = try SCRAMAnswer(last, to: offer.mechanism).ticket(after: final, sid: sid, code: code)
        exchange.scramKeys.keep(keys, of: account, password)
        if let ticket, settings.replacesLayeredVerifier, settings.keyPhrase != nil,
            challenge.subject != .password
        {
            await SCRAMVerifierReplacement(settings: settings, secret: secret).run(ticket, over: exchange)
        }
        return LoginOutcome()
    }

    /// Returns the password of SCRAM: the user's, or the digits of its password-equivalent.
    private func password(for challenge: SCRAM.Challenge) throws(ClientError) -> SecretBytes {
        guard let keyPhrase = settings.keyPhrase else {
            guard challenge.subject != .passwordEquivalent else {
                throw .invalidProfile(
                    "the server's verifier is made of the password-equivalent of a timestamped login: the login profile "
                        + "needs the key phrase of that login"
                )
            }
            return secret
        }
        guard challenge.subject != .password else { return secret }
        let equivalent = Legacy.TimestampedLogin(keyPhrase: keyPhrase).passwordEquivalent(for: secret)
        do throws(SecretMemoryError) {
            return try SecretBytes(hexOf: equivalent)
        } catch {
            throw .outOfMemory
        }
    }

    private mutating func keys(
        _ password: SecretBytes,
        for challenge: SCRAM.Challenge,
        _ exchange: LoginExchange
    ) async throws(ClientError) -> SCRAM.ClientKeys {
        if let computed, computed.areUsable(for: challenge) { return computed }
        if let kept = exchange.scramKeys.keys(of: account, password, for: challenge) { return kept }
        let preparation = settings.preparation
        let keys = try await SCRAMComputation.run(until: exchange.deadline) { () throws(SCRAM.Error) in
            try SCRAM.ClientKeys(password: password, for: challenge, preparation: preparation)
        }
        computed = keys
        return keys
    }
}
