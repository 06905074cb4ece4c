// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird

// SCRAM over HTTP (RFC 7804): two requests, between which the server remembers nothing.
extension LoginServer {
    private static let realm = "credkit-server"

    /// `POST /scram`
    func logInBySCRAM(_ form: FormFields, _ request: Request, _ context: ServerContext) async throws
        -> ServerAnswer
    {
        let values = request.headers[values: .authorization]
        guard values.count <= 1 else { return .refusal(.badRequest, "there are two headers Authorization") }
        guard let value = values.first else { return try mechanisms("log in by SCRAM") }
        let header: SCRAM.AuthenticationHeader
        let sent: String?
        do throws(SCRAM.Error) {
            header = try SCRAM.AuthenticationHeader.credentials(value)
            sent = try header.message()
        } catch {
            return .refusal(.badRequest, error.description)
        }
        guard let mechanism = header.mechanism, let scram, scram.offered.contains(mechanism) else {
            return try mechanisms("the mechanism is not offered")
        }
        guard let message = sent else { return .refusal(.badRequest, "the header has no parameter data") }
        guard let sid = header["sid"] else { return try await begin(message, as: mechanism, context) }
        return try await finish(sid, message, as: mechanism, form, context)
    }

    private func begin(
        _ message: String,
        as mechanism: SCRAM.Mechanism,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        if let answer = try await refusalOfFrequentRequest(context) { return answer }
        switch try await service.beginSCRAM(message, as: mechanism) {
        case .challenge(let sid, let message):
            return try challenge(mechanism, "go on", sid: sid, message: message)
        case .rejected(let error): return try mechanisms(error.description)
        case .unknownMechanism: return try mechanisms("this server has no login by SCRAM")
        }
    }

    private func finish(
        _ sid: String,
        _ message: String,
        as mechanism: SCRAM.Mechanism,
        _ form: FormFields,
        _ context: ServerContext
    ) async throws -> ServerAnswer {
        let outcome = try await service.finishSCRAM(
            sid: sid,
            clientFinal: message,
            clientAddress: context.clientAddress,
            code: form["otp"],
            issuingSession: true
        )
        var answer = try await self.answer(
            to: outcome,
            by: .scram,
            unavailable: "the server cannot determine whether this login was used before"
        )
        switch outcome.decision {
        case .accepted where answer.status == .ok:
            let ticket = settings.allowsPasswords ? outcome.verifierTicket : nil
            let header = try SCRAM.AuthenticationHeader(
                nil,
                sid: sid,
                message: outcome.answer,
                others: ticket.map { [.init("verifier-ticket", $0)] } ?? []
            )
            answer.headers[.authenticationInfo] = header.text
        case .codeRequired:
            let header = try SCRAM.AuthenticationHeader(nil, sid: sid, message: outcome.answer)
            answer.headers[.authenticationInfo] = header.text
        case .rejected:
            answer.status = .unauthorized
            // Without an answer the login was not begun here, or too long ago.
            let header = try SCRAM.AuthenticationHeader(
                mechanism.description,
                realm: Self.realm,
                sid: outcome.answer == nil ? nil : sid,
                message: outcome.answer,
                others: outcome.answer == nil ? [.init("stale", "true")] : []
            )
            answer.headers[.wwwAuthenticate] = header.text
        default: break
        }
        return answer
    }

    /// `POST /scram-verifier`
    func replaceVerifier(_ form: FormFields, _ request: Request, _ context: ServerContext) async throws
        -> ServerAnswer
    {
        guard settings.allowsPasswords else {
            return .refusal(.forbidden, "verifiers are refused without encryption: use TLS")
        }
        if let answer = try await refusalOfFrequentRequest(context) { return answer }
        guard let user = try await user(of: request) else { return .refusal(.unauthorized, "log in first") }
        guard let ticket = form["ticket"], let verifier = form["verifier"] else {
            return .refusal(.badRequest, "the fields ticket and verifier are required")
        }
        switch try await service.replaceVerifier(ticket: ticket, verifier: verifier, user: user) {
        case .replaced: return .empty(.noContent)
        case .invalidVerifier(let error): return .refusal(.badRequest, error.description)
        case .invalidTicket, .unknownMechanism: return .refusal(.forbidden, "the ticket is not valid")
        case .unavailable(let wait):
            return .refusal(
                .serviceUnavailable,
                "the server cannot determine whether the ticket was used before"
            )
            .retrying(after: wait)
        }
    }

    private func challenge(
        _ mechanism: SCRAM.Mechanism,
        _ reason: String,
        sid: String,
        message: String
    ) throws(SCRAM.Error) -> ServerAnswer {
        var answer = ServerAnswer.refusal(.unauthorized, reason)
        let header = try SCRAM.AuthenticationHeader(mechanism.description, sid: sid, message: message)
        answer.headers[.wwwAuthenticate] = header.text
        return answer
    }

    /// Returns an answer that lists the mechanisms, the strongest first, each in a header of its own.
    private func mechanisms(_ reason: String) throws(SCRAM.Error) -> ServerAnswer {
        var answer = ServerAnswer.refusal(.unauthorized, reason)
        for mechanism in scram?.offered ?? [] {
            let header = try SCRAM.AuthenticationHeader(mechanism.description, realm: Self.realm)
            answer.headers.append(HTTPField(name: .wwwAuthenticate, value: header.text))
        }
        return answer
    }
}
