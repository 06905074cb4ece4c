// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Tells whether a response means that the login has expired.
struct ExpiryJudge: Sendable {
    let rule: LoginProfile.ExpiryRule
    /// The origins whose login pages count.
    let origins: Set<Origin>
    /// The envelope of the response, whose code may say it.
    var envelope: Envelope

    /// The same for another envelope.
    func reading(_ envelope: Envelope) -> ExpiryJudge {
        var judge = self
        judge.envelope = envelope
        return judge
    }

    /// Whether a redirect to this URL means it.
    func isLoginPage(_ url: HTTPURL) -> Bool {
        !rule.loginPages.isEmpty && origins.contains(url.origin) && rule.loginPages.contains(url.path)
    }

    /// Whether a status or a body means it.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - body: The whole body; `nil` if it is not known.
    /// - Returns: Whether the login has expired.
    func isExpired(status: Int, body: [UInt8]?) -> Bool {
        if rule.statuses.contains(status) { return true }
        guard !rule.codes.isEmpty, let body, let code = envelope.code(of: body) else { return false }
        return rule.codes.contains(code)
    }
}
