// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The metadata of an authorization server (RFC 8414, section 2; OpenID Connect Discovery).
struct AuthorizationServerMetadata: Decodable, Sendable {
    let issuer: String
    let authorizationEndpoint: String?
    let tokenEndpoint: String
    let deviceAuthorizationEndpoint: String?
    let revocationEndpoint: String?
    let responseTypes: [String]?
    let challengeMethods: [String]?
    let authenticationMethods: [String]?
    let namesItself: Bool?
    let requiresPushedRequests: Bool?
    let proofAlgorithms: [String]?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case deviceAuthorizationEndpoint = "device_authorization_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case responseTypes = "response_types_supported"
        case challengeMethods = "code_challenge_methods_supported"
        case authenticationMethods = "token_endpoint_auth_methods_supported"
        case namesItself = "authorization_response_iss_parameter_supported"
        case requiresPushedRequests = "require_pushed_authorization_requests"
        case proofAlgorithms = "dpop_signing_alg_values_supported"
    }

    /// How a client with a secret authenticates itself. `basic` is the default of RFC 8414.
    var clientAuthentication: LoginProfile.ClientAuthentication {
        guard let methods = authenticationMethods, !methods.contains("client_secret_basic"),
            methods.contains("client_secret_post")
        else { return .basic }
        return .post
    }

    /// Returns how tokens are bound to a key: as wanted, unless the server accepts no proofs by ES256 (RFC 9449, section 5.1). One
    /// that lists nothing may accept them.
    ///
    /// - Throws: ``ClientError/serverError`` if tokens must be bound, and cannot be.
    func dpopMode(_ wanted: DPoPMode?) throws(ClientError) -> DPoPMode? {
        guard let proofAlgorithms, !proofAlgorithms.contains(DPoPKey.algorithm), wanted != nil else {
            return wanted
        }
        guard wanted == .required else { return nil }
        throw .serverError(
            "the authorization server does not accept proofs of a key (DPoP) by \(DPoPKey.algorithm), the only algorithm that "
                + "CredKit has: log in without dpop, if tokens need not be bound to a key"
        )
    }

    /// Returns how a user logs in with a browser; `nil` if the server has no such login.
    ///
    /// - Throws: ``ClientError/serverError`` if it has one that CredKit does not use; ``ClientError/invalidURL``.
    func browserLogin(redirectURL: String) throws(ClientError) -> LoginProfile.BrowserLogin? {
        guard let authorizationEndpoint, responseTypes?.contains("code") ?? true else { return nil }
        let endpoint = try HTTPURL(authorizationEndpoint)
        guard endpoint.origin.isSecure || endpoint.origin.isLoopback else {
            throw .insecureConnection(
                "refusing to use the authorization endpoint \(endpoint): its URL is not https"
            )
        }
        // A list without it has only methods that show the secret to every reader of the URL.
        guard challengeMethods?.contains("S256") ?? true else {
            throw .serverError(
                "the authorization server has no proof keys by S256 (PKCE), without which a stolen code could be used"
            )
        }
        guard requiresPushedRequests != true else {
            throw .serverError(
                "the authorization server requires pushed authorization requests (RFC 9126), which CredKit does not have"
            )
        }
        var login = LoginProfile.BrowserLogin(authorizationURL: endpoint.absoluteString)
        login.issuer = issuer
        login.requiresIssuer = namesItself ?? false
        login.redirectURL = redirectURL
        return login
    }
}
