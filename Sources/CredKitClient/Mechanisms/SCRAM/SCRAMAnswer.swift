// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// An answer of the server to a message of SCRAM, and what it means.
struct SCRAMAnswer {
    let answer: LoginExchange.Answer
    let mechanism: SCRAM.Mechanism
    var status: Int { answer.head.status.code }

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
        let offered = try challenges()
        let challenges = offered.filter { $0.mechanism == mechanism && $0["data"] != nil }
        guard let header = challenges.first, challenges.count == 1, let message = try message(in: header)
        else {
            if challenges.isEmpty, let error = bindingError(client.binding, of: offered) { throw error }
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

    var redirect: ClientError {
        .redirectRefused(
            "the server responded to the login with a redirect, which is not followed",
            status: status
        )
    }

    /// Throws unless the status is the one of a challenge.
    private func checkBeforeProof() throws(ClientError) {
        guard !answer.isRedirect else { throw redirect }
        try LoginVerdict.checkAvailability(answer)
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

    func challenges() throws(ClientError) -> [SCRAM.AuthenticationHeader] {
        do throws(SCRAM.Error) {
            return try SCRAM.AuthenticationHeader.challenges(
                answer.head.headerFields[values: .wwwAuthenticate]
            )
        } catch {
            throw ClientError(error)
        }
    }

    func message(in header: SCRAM.AuthenticationHeader) throws(ClientError) -> String? {
        do throws(SCRAM.Error) { return try header.message() } catch { throw ClientError(error) }
    }

    /// Returns the error for a server that answers the first message only with a list of its mechanisms.
    private func bindingError(
        _ binding: SCRAM.BindingRequest,
        of offered: [SCRAM.AuthenticationHeader]
    ) -> ClientError? {
        let hasBinding = offered.contains { $0.mechanism == mechanism.with(channelBinding: true) }
        switch binding {
        case .unsupported: return nil
        case .notOffered: return hasBinding ? Self.bindingError("server-does-support-channel-binding") : nil
        case .bound: return hasBinding ? nil : Self.bindingError("channel-binding-not-supported")
        }
    }

    /// The server's error in a message `e=reason`; `nil` for another message.
    static func reason(in message: String) -> String? {
        guard message.utf8.starts(with: "e=".utf8) else { return nil }
        return String(message.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: ",") })
    }

    /// Returns the error for a reason that concerns channel binding, in our own words.
    static func bindingError(_ reason: String) -> ClientError? {
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
