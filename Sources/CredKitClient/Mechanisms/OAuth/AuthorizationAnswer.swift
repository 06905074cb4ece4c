// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The answer of an authorization endpoint that came by way of the browser (RFC 6749, section 4.1.2; RFC 9207).
struct AuthorizationAnswer: Sendable {
    /// The errors that have a name (RFC 6749, section 4.1.2.1; RFC 8707; OpenID Connect Core, section 3.1.2.6). The server's
    /// own words are shown nowhere: an attacker may have written them.
    private enum Failure: String {
        case accessDenied = "access_denied"
        case accountSelectionRequired = "account_selection_required"
        case consentRequired = "consent_required"
        case interactionRequired = "interaction_required"
        case invalidRequest = "invalid_request"
        case invalidScope = "invalid_scope"
        case invalidTarget = "invalid_target"
        case loginRequired = "login_required"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedResponseType = "unsupported_response_type"
    }

    private static let maximumCodeByteCount = 8192

    /// The authorization code, which is valid once.
    let code: SecretBytes

    /// Judges the parameters of an answer whose state is right: see ``AuthorizationRequest/isAnswered(by:)``.
    ///
    /// - Parameters:
    ///   - parameters: The parameters, decoded.
    ///   - mechanism: The settings of the profile.
    /// - Throws: ``ClientError/invalidCredentials`` if the user refused; ``ClientError/malformedResponse`` if the answer is not
    ///   one of this server, or can be read in two ways; ``ClientError/serverError`` for the other errors.
    init(_ parameters: [(String, String)], for mechanism: OAuthMechanism) throws(ClientError) {
        func value(_ name: String) throws(ClientError) -> String? {
            let values = parameters.filter { ASCIIText.areEqual($0.0, name) }
            guard values.count <= 1 else {
                throw .malformedResponse("the answer that the browser brought has more than one \(name)")
            }
            return values.first?.1
        }
        // First: an answer of another server says nothing, not even that the user refused.
        try Self.checkIssuer(try value("iss"), mechanism)
        let (code, failure) = (try value("code"), try value("error"))
        switch (code, failure) {
        case (nil, let name?): throw Self.error(Failure(rawValue: name))
        case (let code?, nil):
            guard (1...Self.maximumCodeByteCount).contains(code.utf8.count),
                code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { throw .malformedResponse("the browser brought a code with invalid characters") }
            do throws(SecretMemoryError) {
                self.code = try SecretBytes(code)
            } catch {
                throw .outOfMemory
            }
        default: throw .malformedResponse("the answer that the browser brought has not either code or error")
        }
    }

    /// Throws unless the answer is that of the profile's server. With an answer of another one, a code would go to the wrong
    /// server (RFC 9207, section 2.4).
    private static func checkIssuer(_ issuer: String?, _ mechanism: OAuthMechanism) throws(ClientError) {
        guard let issuer else {
            guard mechanism.requiresIssuer != true else {
                throw .malformedResponse(
                    "the answer that the browser brought does not name its server (iss), which announces that it does"
                )
            }
            return
        }
        guard let expected = mechanism.issuer else {
            throw .malformedResponse(
                "the answer that the browser brought names its server (iss), and the login profile does not: put its URL "
                    + "into \"issuer\""
            )
        }
        guard ASCIIText.areEqual(issuer, expected) else {
            throw .malformedResponse(
                "the answer that the browser brought is not one of the server \(TerminalSafeText.text(expected, upTo: 200))"
            )
        }
    }

    private static func error(_ failure: Failure?) -> ClientError {
        let name = failure.map { " (\($0.rawValue))" } ?? ""
        switch failure {
        case .accessDenied:
            return ClientError(
                .invalidCredentials,
                message: "the login was refused at the authorization server\(name)"
            )
        case .loginRequired, .consentRequired, .interactionRequired, .accountSelectionRequired:
            return ClientError(
                .invalidCredentials,
                message:
                    "the authorization server needs the user, and was told not to ask\(name): remove the prompt of the "
                    + "login"
            )
        case .invalidScope, .invalidTarget, .unauthorizedClient, .unsupportedResponseType, .invalidRequest:
            return ClientError(
                .serverError,
                message:
                    "the authorization server does not accept the request\(name): check clientID, scope, resource, "
                    + "redirectURL and parameters of the profile, and what is registered there"
            )
        default:
            return ClientError(
                .serverError,
                message: "the authorization server could not complete the login\(name): try again later"
            )
        }
    }
}
