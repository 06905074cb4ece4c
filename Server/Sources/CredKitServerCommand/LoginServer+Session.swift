// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import HTTPTypes
import Hummingbird

extension LoginServer {
    private struct LoggedInUser: Encodable, Sendable {
        let userId: Int
        let userName: String
    }

    /// `GET /auth/session`
    func session(_ request: Request) async throws -> ServerAnswer {
        guard let name = try await user(of: request),
            let identifier = try await accounts.identifier(ofUserNamed: name)
        else {
            var answer = ServerAnswer.refusal(.unauthorized, "log in first")
            answer.headers[.wwwAuthenticate] = "Cookie realm=\"credkit-server\""
            return answer
        }
        let user = LoggedInUser(userId: identifier, userName: name)
        return .json(CodeEnvelope(code: 0, msg: "logged in", data: user))
    }

    /// Returns the user who is logged in.
    func user(of request: Request) async throws -> String? { try await user(ofTokens: tokens(of: request)) }

    /// Returns the user of the first token that is one of a session.
    func user(ofTokens tokens: [String]) async throws -> String? {
        for token in tokens {
            guard let user = try await service.sessions.user(of: token) else { continue }
            if try await accounts.identifier(ofUserNamed: user) != nil { return user }
            // A user who was removed from a table, or disabled, has no session any more, also if there is one of the same name
            // later. For a file, the reload has seen to it, and another server may not have read it yet.
            if accounts is DatabaseUsers { try await service.sessions.revokeAll(of: user) }
        }
        return nil
    }

    /// Returns the tokens that a request carries, in its header and in its cookie.
    func tokens(of request: Request) -> [String] {
        [request.headers[.authToken], Self.cookie(Self.sessionCookie, of: request)].compactMap { $0 }
    }
}
