// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes
internal import CredKitSystem

/// One login by SCRAM: its requests and what they have in common.
struct SCRAMLogin {
    /// How often a login begins that is bound to a connection which the next request does not get.
    static let maximumAttemptCount = 3

    let settings: SCRAMProfileMechanism
    let account: String
    let secret: SecretBytes
    /// How long a user may take for a one-time code before the exchange is begun anew: servers remember one for a minute.
    private static let codeTimeout = Duration.seconds(30)

    /// The keys that were computed for this login, which another attempt uses again.
    private var computed: SCRAM.ClientKeys?
    /// The one-time code, once the server has asked for it.
    private var code: SecretBytes?

    init(settings: SCRAMProfileMechanism, account: String, secret: SecretBytes) {
        self.settings = settings
        self.account = account
        self.secret = secret
    }

    /// Logs in.
    ///
    /// - Parameter exchange: Sends the requests.
    /// - Returns: The outcome, after the server has proved itself.
    /// - Throws: ``ClientError/oneTimeCodeRequired`` if a code is needed and there is none; errors of the server and the
    ///   connection.
    mutating func run(over exchange: LoginExchange) async throws(ClientError) -> LoginOutcome {
        let choice = try await SCRAMBindingChoice.choose(settings, over: exchange)
        var exchange = exchange
        for attemptCount in 1... {
            do throws(ClientError) {
                if let outcome = try await attempt(choice, &exchange) { return outcome }
            } catch {
                guard attemptCount < Self.maximumAttemptCount, choice.mayBeginAnew(after: error, code: code)
                else { throw error }
            }
        }
        throw .connectionChanged
    }

    /// Returns `nil` if the exchange took so long that it must be begun anew.
    private mutating func attempt(
        _ choice: SCRAMBindingChoice,
        _ exchange: inout LoginExchange
    ) async throws(ClientError) -> LoginOutcome? {
        let client: SCRAM.Client
        do throws(SCRAM.Error) {
            client = try SCRAM.Client(
                username: account,
                mechanism: choice.mechanism,
                binding: choice.binding,
                acceptedIterations: settings.acceptedIterations
            )
        } catch {
            throw .invalidRequest("cannot log in by SCRAM: \(error.message)")
        }
        let request = SCRAMRequest(choice: choice, path: settings.loginPath)
        let first = try await request.send(client.firstMessage, over: exchange, binding: choice.rule)
        let (challenge, sid) = try SCRAMAnswer(first, to: choice.mechanism).challenge(for: client)
        let password = try password(for: challenge)
        let keys = try await keys(password, for: challenge, exchange)
        let final: SCRAM.ClientFinal
        do throws(SCRAM.Error) {
            final = try client.finalMessage(for: challenge, keys: keys, binding: first.channelBinding)
        } catch {
            throw ClientError(error)
        }
        let rule = first.channelBinding.map { ChannelBindingRule.exactly($0) }
        let last = try await request.send(final.message, sid: sid, over: exchange, binding: rule)
        var ticket: String?
        do throws(ClientError) {
            ticket = try SCRAMAnswer(last, to: choice.mechanism).ticket(after: final, sid: sid, code: nil)
        } catch {
            guard error == .oneTimeCodeRequired else { throw error }
            // The server has proved itself in this exchange, and with channel binding over this connection: the code is for
            // nothing else.
            guard let code = try await oneTimeCode(&exchange) else { return nil }
            let answer = try await request.send(
                final.message,
                sid: sid,
                code: code,
                over: exchange,
                binding: rule
            )
            ticket = try SCRAMAnswer(answer, to: choice.mechanism).ticket(after: final, sid: sid, code: code)
        }
        exchange.flow.scramKeys.keep(keys, of: account, password)
        if let ticket, settings.replacesLayeredVerifier, settings.keyPhrase != nil,
            challenge.subject != .password
        {
            await SCRAMVerifierReplacement(settings: settings, secret: secret).run(ticket, over: exchange)
        }
        return LoginOutcome()
    }

    /// Returns the user's code; `nil` if the user took so long for it that the exchange must be begun anew first.
    private mutating func oneTimeCode(
        _ exchange: inout LoginExchange
    ) async throws(ClientError) -> SecretBytes? {
        if let code { return code }
        let start = ContinuousClock.now
        code = try await exchange.oneTimeCode(for: account)
        exchange = exchange.restarted
        return start.duration(to: .now) < Self.codeTimeout ? code : nil
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
        if let kept = exchange.flow.scramKeys.keys(of: account, password, for: challenge) { return kept }
        let preparation = settings.preparation
        let keys = try await SCRAMComputation.run(until: exchange.deadline) { () throws(SCRAM.Error) in
            try SCRAM.ClientKeys(password: password, for: challenge, preparation: preparation)
        }
        computed = keys
        return keys
    }
}

/// Runs PBKDF2 on a thread of its own: it takes as long as the server wants, within the accepted number of iterations, and
/// cannot be interrupted. The caller stops waiting at its deadline or when its task is cancelled.
enum SCRAMComputation {
    static func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable () throws(SCRAM.Error) -> Value
    ) async throws(ClientError) -> Value {
        try await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
            // One thread for each: a server that asks for many iterations delays no login at another one.
            let thread = SerialThread()
            return try await thread.run(
                deadline: max(.zero, ContinuousClock.now.duration(to: deadline)),
                orThrow: Self.error(for:)
            ) { _ in
                do throws(SCRAM.Error) { return .success(try body()) } catch {
                    return .failure(ClientError(error))
                }
            }
        }
    }

    private static func error(for failure: CallFailure) -> ClientError {
        switch failure {
        case .cancelled: .cancelled
        case .timedOut: .timedOut("the login timed out while the password was being hashed for SCRAM")
        case .noThread: .outOfMemory
        }
    }
}
