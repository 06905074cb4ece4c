// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// An answer of the server to a message of SCRAM, and what it means.
struct SCRAMAnswer {
    private static let authenticationInfo = HTTPField.Name("Authentication-Info") ?? .wwwAuthenticate

    private let answer: LoginExchange.Answer
    private let mechanism: SCRAM.Mechanism
    private var status: Int { answer.head.status.code }

    init(_ answer: LoginExchange.Answer, to mechanism: SCRAM.Mechanism) {
        self.answer = answer
        self.mechanism = mechanism
    }

    /// Returns the mechanisms that the server offers in its answer to a request without credentials.
    func offeredMechanisms() throws(ClientError) -> Set<SCRAM.Mechanism> {
        try checkBeforeProof()
        let offered = Set(try challenges().compactMap(\.mechanism))
        guard offered.contains(mechanism) || offered.contains(mechanism.with(channelBinding: true)) else {
            throw .malformedChallenge("the server does not offer \(mechanism)")
        }
        return offered
    }

    /// Returns the challenge in the answer to the client's first message.
    ///
    /// No answer says anything about the password here: the server has not received a proof.
    func challenge(
        for client: SCRAM.Client
    ) throws(ClientError) -> (challenge: SCRAM.Challenge, sid: String) {
        try checkBeforeProof()
        let challenges = try challenges().filter { $0.mechanism == mechanism && $0["data"] != nil }
        guard let header = challenges.first, challenges.count == 1, let message = try message(in: header)
        else {
            let problem = challenges.isEmpty ? "no challenge" : "several challenges"
            throw .malformedChallenge("the server answers the login with \(problem) of \(mechanism)")
        }
        if let reason = Self.reason(in: message) {
            if let error = Self.bindingError(reason) { throw error }
            throw ClientError(
                .serverError,
                message: "the server refuses to begin a login by SCRAM",
                statusCode: status
            )
        }
        guard let sid = header["sid"], !sid.isEmpty else {
            throw .malformedChallenge("the server's challenge has no sid")
        }
        do throws(SCRAM.Error) {
            return (try client.challenge(from: message), sid)
        } catch {
            throw ClientError(error)
        }
    }

    /// Checks the answer to the client's last message. Success counts only with the server's signature.
    ///
    /// - Parameters:
    ///   - final: The message, which knows the signature.
    ///   - sid: The server's name for the exchange.
    ///   - code: The one-time code that was sent; `nil` for none.
    /// - Returns: The ticket for a new verifier, if the server wants one.
    func ticket(
        after final: SCRAM.ClientFinal,
        sid: String,
        code: SecretBytes?
    ) throws(ClientError) -> String? {
        guard !answer.isRedirect else { throw redirect }
        try LoginVerdict.checkAvailability(answer.head)
        let isSuccess = (200...299).contains(status)
        guard isSuccess || status == 401 else {
            throw .unexpectedStatus(status, "the server responded to the login with status \(status)")
        }
        let needsCode = LoginProfile.SecondStep().isRequired(by: answer)
        if !isSuccess, !needsCode {
            let error = try rejection()
            // The server has accepted the password before.
            throw code != nil && error == .invalidCredentials ? .oneTimeCodeRejected : error
        }
        let ticket = try authenticate(final, sid)
        // A code is for the server alone.
        if needsCode { throw code == nil ? .oneTimeCodeRequired : .oneTimeCodeRejected }
        return ticket
    }

    /// Checks the server's signature.
    private func authenticate(_ final: SCRAM.ClientFinal, _ sid: String) throws(ClientError) -> String? {
        let fields = answer.head.headerFields[values: Self.authenticationInfo]
        guard fields.count == 1, let info = try? SCRAM.AuthenticationHeader.information(fields[0]),
            let message = try? info.message(), let received = info["sid"], ASCIIText.areEqual(received, sid)
        else {
            throw .serverNotAuthenticated(
                "the server accepts the login without proving that it knows the password's verifier: its answer has no valid "
                    + "Authentication-Info",
                status: status
            )
        }
        do throws(SCRAM.Error) {
            try final.check(message)
        } catch {
            // Success with an error in it is no success either.
            throw .serverNotAuthenticated(
                "the server accepts the login without proving that it knows the password's verifier: its signature is wrong",
                status: status
            )
        }
        return info["verifier-ticket"]
    }

    /// Returns the error for a status 401 after the proof.
    private func rejection() throws(ClientError) -> ClientError {
        // Others without data only list what the server has.
        let challenges = try challenges().filter { $0.mechanism != nil && $0["data"] != nil }
        if let header = challenges.first {
            guard challenges.count == 1, let message = try message(in: header),
                let reason = Self.reason(in: message)
            else {
                return .malformedResponse(
                    "the server answers the proof with another challenge",
                    status: status
                )
            }
            if let error = Self.bindingError(reason) { return error }
            guard ["invalid-proof", "unknown-user"].contains(where: { ASCIIText.areEqual($0, reason) }) else {
                return ClientError(
                    .serverError,
                    message:
                        "the server has ended the login for another reason than the password: log in again",
                    statusCode: status
                )
            }
        }
        return ClientError(
            .invalidCredentials,
            message: "the server rejected the user name or password (status \(status))",
            statusCode: status
        )
    }

    private var redirect: ClientError {
        .redirectRefused(
            "the server responded to the login with a redirect, which is not followed",
            status: status
        )
    }

    /// Throws unless the status is the one of a challenge.
    private func checkBeforeProof() throws(ClientError) {
        guard !answer.isRedirect else { throw redirect }
        try LoginVerdict.checkAvailability(answer.head)
        if (200...299).contains(status) {
            throw .serverNotAuthenticated(
                "the server accepts the login before it has received a proof of the password: it is not the server, or does not "
                    + "use SCRAM",
                status: status
            )
        }
        guard status == 401 else {
            throw .unexpectedStatus(status, "the server responded to the login with status \(status)")
        }
    }

    private func challenges() throws(ClientError) -> [SCRAM.AuthenticationHeader] {
        do throws(SCRAM.Error) {
            return try SCRAM.AuthenticationHeader.challenges(
                answer.head.headerFields[values: .wwwAuthenticate]
            )
        } catch {
            throw ClientError(error)
        }
    }

    private func message(in header: SCRAM.AuthenticationHeader) throws(ClientError) -> String? {
        do throws(SCRAM.Error) { return try header.message() } catch { throw ClientError(error) }
    }

    /// The server's error in a message `e=reason`; `nil` for another message.
    private static func reason(in message: String) -> String? {
        guard message.utf8.starts(with: "e=".utf8) else { return nil }
        return String(message.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: ",") })
    }

    /// Returns the error for a reason that concerns channel binding, in our own words.
    private static func bindingError(_ reason: String) -> ClientError? {
        let reasons = [
            "channel-bindings-dont-match":
                "the server has another connection or certificate than this client",
            "server-does-support-channel-binding":
                "the server offers it, but its list of mechanisms did not say so: an attacker may have changed the list",
            "channel-binding-not-supported": "the server does not offer it",
            "unsupported-channel-binding-type": "the server does not offer this kind",
        ]
        return reasons.first { ASCIIText.areEqual($0.key, reason) }.map { .channelBindingFailed($0.value) }
    }
}
