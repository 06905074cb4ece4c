// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The error answer of a token or a device endpoint (RFC 6749, section 5.2; RFC 8628, section 3.5).
enum TokenError: String {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedTokenType = "unsupported_token_type"
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case expiredToken = "expired_token"
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"

    private struct Members: Decodable {
        let error: String?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: JSONKey.self)
            let key = JSONKey("error")
            if let text = try? members.decode(String.self, forKey: key) {
                error = text.isEmpty ? nil : text
            } else if !members.contains(key) || (try? members.decodeNil(forKey: key)) == true
                || (try? members.decode(Bool.self, forKey: key)) == false
                || (try? members.decode(Double.self, forKey: key)) == 0
            {
                // Some servers say so that there is no error.
                error = nil
            } else {
                // An error of another type is an error.
                error = ""
            }
        }
    }

    /// Throws the error that an answer reports. Some servers report one with status 200.
    static func check(_ head: HTTPResponse, _ body: [UInt8]) throws(ClientError) {
        try LoginVerdict.checkAvailability(head)
        let status = head.status.code
        if let name = name(in: body) { throw error(TokenError(rawValue: name), status) }
        guard !(300...399).contains(status) else {
            throw .redirectRefused(
                "the authorization server answers with a redirect, which is not followed: check the paths of the profile",
                status: status
            )
        }
        guard (200...299).contains(status) else {
            throw .unexpectedStatus(
                status,
                "the authorization server responded with status \(status): check the paths of the profile"
            )
        }
    }

    /// Returns the error that an answer names; an empty text if it cannot be read, `nil` if there is none.
    static func name(in body: [UInt8]) -> String? {
        (try? JSONReading.read(Members.self, from: body[...]))?.error
    }

    /// The server's own texts are left out: they may repeat a token.
    private static func error(_ error: TokenError?, _ status: Int) -> ClientError {
        let name = error.map { " (\($0.rawValue))" } ?? ""
        switch error {
        case .invalidGrant:
            return ClientError(
                .invalidCredentials,
                message: "the authorization server rejected the refresh token\(name): log in again",
                statusCode: status
            )
        case .accessDenied:
            return ClientError(
                .invalidCredentials,
                message: "the login was refused at the authorization server\(name)",
                statusCode: status
            )
        case .expiredToken:
            return ClientError(
                .timedOut,
                message: "the code has expired before the login was confirmed\(name): log in again",
                statusCode: status
            )
        case .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope:
            return ClientError(
                .serverError,
                message:
                    "the authorization server does not accept this client\(name): check clientID, clientSecret "
                    + "and scope of the profile",
                statusCode: status
            )
        default:
            return ClientError(
                .serverError,
                message: "the authorization server refused the request\(name)",
                statusCode: status
            )
        }
    }
}
