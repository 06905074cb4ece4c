// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The request that a browser takes to the authorization endpoint (RFC 6749, section 4.1.1; RFC 7636, section 4.3), and what
/// its answer must match.
struct AuthorizationRequest: Sendable {
    /// The parameters that are CredKit's own, and those of ways that it does not support. A profile can set none of them.
    static let ownParameters: Set<String> = [
        "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge",
        "code_challenge_method",
        "response_mode", "resource", "dpop_jkt", "client_secret", "code_verifier", "request", "request_uri",
    ]

    /// Longer ones are cut by browsers and servers.
    private static let maximumByteCount = 8192

    let verifier: CodeVerifier
    /// Ties the answer to this request.
    let state: String
    /// Where the answer is expected, exactly as it was sent.
    let redirectURL: String
    /// What the browser opens.
    let url: HTTPURL

    /// Creates the request of one login.
    ///
    /// - Parameters:
    ///   - mechanism: The settings of the profile.
    ///   - redirectURL: The URL of the listener, with its port.
    ///   - keyThumbprint: The thumbprint of the key that the tokens will be bound to (RFC 9449, section 10); `nil` for none.
    /// - Throws: ``ClientError/invalidProfile`` without an authorization endpoint; ``ClientError/insecureConnection``,
    ///   ``ClientError/invalidURL`` and ``ClientError/outOfMemory``.
    init(_ mechanism: OAuthMechanism, redirectURL: String, keyThumbprint: String?) throws(ClientError) {
        guard let endpoint = mechanism.authorizationURL else {
            throw .invalidProfile("the login profile has no authorizationURL: there is no login in a browser")
        }
        verifier = try CodeVerifier()
        state = Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 32))
        self.redirectURL = redirectURL
        var parameters: [(key: String, value: String)] = [
            ("response_type", "code"), ("client_id", mechanism.clientID), ("redirect_uri", redirectURL),
            ("state", state), ("code_challenge", verifier.challenge), ("code_challenge_method", "S256"),
        ]
        if let scope = mechanism.scope { parameters.append(("scope", scope)) }
        if let resource = mechanism.resource { parameters.append(("resource", resource)) }
        if let mode = mechanism.responseMode { parameters.append(("response_mode", mode.rawValue)) }
        if let keyThumbprint { parameters.append(("dpop_jkt", keyThumbprint)) }
        for (name, value) in (mechanism.parameters ?? [:]).sorted(by: { $0.key < $1.key }) {
            parameters.append((name, value))
        }
        // The endpoint may have a query, which is kept.
        url = try HTTPURL(endpoint).setting(parameters.map { (name: $0.key, value: Array($0.value.utf8)) })
        guard url.origin.isSecure || url.origin.isLoopback else {
            throw .insecureConnection(
                "refusing to open the authorization endpoint at \(url.origin): its URL is not https"
            )
        }
        guard url.absoluteString.utf8.count <= Self.maximumByteCount else {
            throw .invalidURL(
                "the URL for the browser has more than \(Self.maximumByteCount) characters: shorten scope or parameters of the profile"
            )
        }
    }

    /// Whether an answer is that of this request. Every page and program can send others, with any content.
    func isAnswered(by parameters: [(String, String)]) -> Bool {
        let states = parameters.filter { ASCIIText.areEqual($0.0, "state") }
        return states.count == 1 && ConstantTime.areEqual(states[0].1.utf8, state.utf8)
    }
}
