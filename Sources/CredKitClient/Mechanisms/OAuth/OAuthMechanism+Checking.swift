// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension OAuthMechanism {
    func check() throws(ClientError) {
        for (name, text) in [("clientID", clientID), ("clientSecret", clientSecret)] {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .invalidProfile(
                    "invalid login profile: \(name) must be ASCII text without control characters"
                )
            }
        }
        if let scope {
            // RFC 6749, section 3.3.
            let words = scope.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            let isValid = words.allSatisfy { word in
                !word.isEmpty
                    && word.allSatisfy { byte in
                        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"")
                            && byte != UInt8(ascii: "\\")
                    }
            }
            guard isValid else {
                throw .invalidProfile(
                    "invalid login profile: scope must be ASCII words with one blank between them, without \" and \\"
                )
            }
        }
        for (name, path) in [
            ("tokenPath", tokenPath), ("deviceAuthorizationPath", deviceAuthorizationPath),
            ("revocationPath", revocationPath),
        ] {
            guard let path else { continue }
            guard path.utf8.starts(with: "/".utf8), !path.utf8.starts(with: "//".utf8) else {
                throw .invalidProfile("invalid login profile: \(name) must begin with exactly one slash")
            }
        }
        guard clientAuthentication == nil || clientSecret != nil else {
            throw .invalidProfile("invalid login profile: clientAuthentication needs a clientSecret")
        }
        if let resource {
            // RFC 8707, section 2: an absolute URI without a fragment.
            guard resource.utf8.contains(UInt8(ascii: ":")),
                resource.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
            else {
                throw .invalidProfile("invalid login profile: resource must be a URI without a fragment")
            }
        }
        try checkBrowserLogin()
    }

    private func checkBrowserLogin() throws(ClientError) {
        guard let authorizationURL else {
            guard redirectURL == nil, responseMode == nil, parameters == nil, issuer == nil,
                requiresIssuer == nil
            else {
                throw .invalidProfile(
                    "invalid login profile: issuer, requiresIssuer, redirectURL, responseMode and parameters need an "
                        + "authorizationURL"
                )
            }
            return
        }
        guard let url = try? HTTPURL(authorizationURL), url.origin.isSecure || url.origin.isLoopback else {
            throw .invalidProfile("invalid login profile: authorizationURL must be an https URL")
        }
        for name in AuthorizationRequest.ownParameters
        where parameters?[name] != nil || url.parameter(name) != nil {
            throw .invalidProfile(
                "invalid login profile: authorizationURL and parameters must not set '\(name)'"
            )
        }
        for (name, value) in parameters ?? [:] {
            guard !name.isEmpty, (name + value).utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .invalidProfile(
                    "invalid login profile: parameters must be ASCII text without control characters"
                )
            }
        }
        guard issuer != nil || requiresIssuer != true else {
            throw .invalidProfile("invalid login profile: requiresIssuer needs an issuer")
        }
        if let redirectURL {
            do throws(ClientError) {
                _ = try LoopbackRedirect(redirectURL)
            } catch {
                throw .invalidProfile(
                    "invalid login profile: redirectURL must be http://127.0.0.1/PATH, http://[::1]/PATH or "
                        + "http://localhost/PATH, with a port or without"
                )
            }
        }
    }
}
