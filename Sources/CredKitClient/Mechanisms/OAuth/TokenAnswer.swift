// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// The answer of a token endpoint (RFC 6749, section 5).
struct TokenAnswer: Sendable {
    /// The longest lifetime that is believed.
    private static let maximumLifetime = 10.0 * 365 * 86400

    private let members: Members
    private let status: Int
    /// The key that was proved; `nil` for none.
    private let dpop: DPoPBinding?
    /// An error in an answer that contains a refresh token nevertheless.
    private let refusal: ClientError?

    /// The members of a successful answer. A member of another type than expected counts as missing, so that one of them
    /// cannot hide the others.
    private struct Members: Decodable {
        var accessToken: String?
        var tokenType: String?
        var lifetime: Double?
        var refreshToken: String?
        var scope: String?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: JSONKey.self)
            func text(_ name: String) -> String? {
                try? members.decode(String.self, forKey: JSONKey(name))
            }
            accessToken = text("access_token")
            tokenType = text("token_type")
            refreshToken = text("refresh_token")
            scope = text("scope")
            // Some servers send the number as a text.
            lifetime =
                (try? members.decode(Double.self, forKey: JSONKey("expires_in")))
                ?? text("expires_in").flatMap { UInt64($0) }.map { Double($0) }
        }
    }

    /// Reads an answer.
    ///
    /// - Throws: The error that the server reports; ``ClientError/malformedResponse`` if the answer is no JSON object.
    init(_ answer: LoginExchange.Answer) throws(ClientError) {
        try self.init(answer.head, answer.body, answer.dpop)
    }

    init(_ head: HTTPResponse, _ body: [UInt8], _ dpop: DPoPBinding? = nil) throws(ClientError) {
        status = head.status.code
        self.dpop = dpop
        do throws(ClientError) {
            try TokenError.check(head, body)
            refusal = nil
        } catch {
            guard (200...299).contains(status),
                let members = try? JSONReading.read(Members.self, from: body[...], status: status),
                members.refreshToken != nil
            else { throw error }
            refusal = error
            self.members = members
            return
        }
        members = try JSONReading.read(Members.self, from: body[...], status: status)
    }

    /// Returns the outcome of a login.
    ///
    /// - Parameters:
    ///   - secret: The refresh token that was sent, if one was.
    ///   - scope: The scope that was asked for.
    /// - Returns: The outcome. It has a ``LoginOutcome/failure`` if the answer cannot be used although it contains a new
    ///   refresh token.
    /// - Throws: ``ClientError/malformedResponse`` if the answer cannot be used otherwise.
    func outcome(replacing secret: SecretBytes? = nil, scope: String?) throws(ClientError) -> LoginOutcome {
        var outcome = LoginOutcome(lifetime: lifetime)
        if let scope, let granted = members.scope {
            let granted = granted.utf8.split(separator: UInt8(ascii: " ")).map(Array.init)
            outcome.missingScope = scope.split(separator: " ").map(String.init)
                .filter { !granted.contains(Array($0.utf8)) }
        }
        if let text = members.refreshToken {
            let token = try Self.secret(text)
            guard OAuthMechanism.isRefreshToken(token) else {
                throw refusal
                    ?? .malformedResponse(
                        "the server sent a refresh token with invalid characters",
                        status: status
                    )
            }
            // A server that does not replace refresh tokens may send the same one.
            if token != secret { outcome.newSecret = token }
        }
        do throws(ClientError) {
            if let refusal { throw refusal }
            outcome.token = try authorization()
            outcome.downgrade = downgrade
        } catch {
            guard outcome.newSecret != nil else { throw error }
            outcome.failure = error
        }
        return outcome
    }

    private var lifetime: Duration? {
        // Whether a token with a lifetime of 0 or less has expired, requests will show.
        guard let seconds = members.lifetime, seconds > 0 else { return nil }
        return .seconds(Int64(min(seconds, Self.maximumLifetime)))
    }

    private func authorization() throws(ClientError) -> SecretBytes {
        guard let type = members.tokenType else {
            throw .malformedResponse("the server sent no token_type", status: status)
        }
        let isBound = dpop != nil && ASCIIText.lowercased(type) == "dpop"
        guard isBound || ASCIIText.lowercased(type) == "bearer" else {
            throw .malformedResponse(
                "the server sent a token of another type than Bearer\(dpop == nil ? "" : " and DPoP"), which CredKit does not "
                    + "support",
                status: status
            )
        }
        guard let text = members.accessToken else {
            throw .malformedResponse("the server sent no access_token", status: status)
        }
        do throws(ClientError) {
            return try BearerMechanism.authorization(
                with: Self.secret(text),
                after: isBound ? DPoPKey.tokenPrefix : "Bearer "
            )
        } catch {
            guard error == .invalidRequest else { throw error }
            throw .malformedResponse(
                "the server sent an access token with invalid characters",
                status: status
            )
        }
    }

    /// The error for a token that must be bound to the key, and is not.
    private var downgrade: ClientError? {
        guard let dpop, dpop.requiresBoundToken, let type = members.tokenType,
            ASCIIText.lowercased(type) == "bearer"
        else { return nil }
        return ClientError(
            .mechanismDowngrade,
            message:
                "refusing the token of the authorization server: it is not bound to the key of the login (DPoP), which the "
                + "profile requires, or which the login had before. The token was revoked if the server can do that",
            statusCode: status
        )
    }

    private static func secret(_ text: String) throws(ClientError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes(text)
        } catch {
            throw .outOfMemory
        }
    }
}
