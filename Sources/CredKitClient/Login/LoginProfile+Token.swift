// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension LoginProfile {
    /// What a user enters to log in.
    package enum SecretKind: Sendable, Hashable {
        case password
        /// A token that another program has issued. It cannot be renewed.
        case token
        case refreshToken
    }

    /// What a user enters to log in.
    package var secretKind: SecretKind {
        switch mechanism {
        case is BearerMechanism: .token
        case is OAuthMechanism: .refreshToken
        default: .password
        }
    }

    /// Whether the server knows the account by the name that the user enters.
    package var provesAccount: Bool { mechanism.provesAccount }

    /// Returns what stands before a token in the profile's header.
    ///
    /// - Parameter prefix: What the profile says of it.
    /// - Returns: The text, such as `Bearer `.
    func headerPrefix(_ prefix: String?) -> String {
        if let prefix { return prefix }
        return ASCIIText.lowercased(tokenHeader ?? "") == "authorization" ? "Bearer " : ""
    }

    /// Returns the value of the header ``tokenHeader`` that a successful response to a login contains; `nil` if the profile
    /// has no ``tokenMember``.
    ///
    /// - Throws: ``ClientError/malformedResponse`` if the response has no token there.
    func token(in answer: LoginExchange.Answer) throws(ClientError) -> SecretBytes? {
        guard let tokenMember else { return nil }
        guard case .text(let text)? = JSONMember.find(tokenMember, in: answer.body), !text.isEmpty else {
            throw .malformedResponse(
                "the server accepted the login, but its answer has no text in a member '\(tokenMember)'"
                    + "\(JSONMember.namesText(in: answer.body)) (\"tokenMember\" in the login profile)",
                status: answer.head.status.code
            )
        }
        return try SecretBytes(token: headerPrefix(tokenPrefix) + text)
    }

    /// Checks the settings of tokens and of the login page.
    func checkToken() throws(ClientError) {
        if case .mechanism(let mechanism) = scheme {
            guard !(mechanism is BearerMechanism) || tokenHeader != nil else {
                throw .invalidProfile("invalid login profile: empty tokenHeader")
            }
        }
        let prefixes = [tokenPrefix, (mechanism as? BearerMechanism)?.tokenPrefix]
        guard prefixes.allSatisfy({ $0?.utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true }) else {
            throw .invalidProfile("invalid login profile: tokenPrefix must be ASCII text")
        }
        if let tokenMember {
            guard !tokenMember.isEmpty, tokenHeader != nil else {
                throw .invalidProfile("invalid login profile: a tokenMember needs a name and a tokenHeader")
            }
        } else if tokenPrefix != nil {
            throw .invalidProfile("invalid login profile: tokenPrefix is only allowed with tokenMember")
        }
        if case .insecureGetForm = scheme, csrfToken != nil || sendsJSON {
            throw .invalidProfile("invalid login profile: csrf and body are not allowed with insecureGetForm")
        }
        try csrfToken?.check()
    }
}
