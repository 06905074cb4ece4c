// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension SCRAMAnswer {
    /// Checks the answer to the client's last message. Success counts only with the server's signature.
    ///
    /// - Parameters:
    ///   - final: The message, which knows the signature.
    ///   - sid: The server's name for the exchange.
    ///   - code: The one-time code that was sent; `nil` for none.
    /// - Returns: The ticket for a new verifier, if the server wants one.
    /// - Throws: ``ClientError/serverNotAuthenticated``, ``ClientError/invalidCredentials``,
    ///   ``ClientError/oneTimeCodeRequired``, ``ClientError/oneTimeCodeRejected``, ``ClientError/channelBindingFailed``;
    ///   another error if the answer says nothing about the password.
    func ticket(
        after final: SCRAM.ClientFinal,
        sid: String,
        code: SecretBytes?
    ) throws(ClientError) -> String? {
        guard !answer.isRedirect else { throw redirect }
        try LoginVerdict.checkAvailability(
            answer,
            secrets: [code].compactMap { $0 },
            values: [final.message]
        )
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
        let fields = answer.head.headerFields[values: .authenticationInfo]
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
        let ended = ClientError(
            .serverError,
            message: "the server has ended the login for another reason than the password: log in again",
            statusCode: status
        )
        let mechanisms = try challenges().filter { $0.mechanism != nil }
        // The exchange took too long, or was begun at another server.
        if mechanisms.contains(where: { $0["stale"].map { ASCIIText.lowercased($0) } == "true" }) {
            return ended
        }
        // A proxy may have answered.
        guard !mechanisms.isEmpty else { return ended }
        // Others without data only list what the server has.
        let challenges = mechanisms.filter { $0["data"] != nil }
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
                return ended
            }
        }
        return ClientError(
            .invalidCredentials,
            message: "the server rejected the user name or password (status \(status))",
            statusCode: status
        )
    }
}
