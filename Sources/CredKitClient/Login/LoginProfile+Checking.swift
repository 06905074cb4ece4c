// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension LoginProfile {
    /// Checks that the profile can be used for a login.
    func check() throws(ClientError) {
        if case .mechanism(let mechanism as any ProfileMechanism) = scheme { try mechanism.check() }
        var paths = [("loginPath", loginPath)]
        if let logoutPath { paths.append(("logoutPath", logoutPath)) }
        if case .timestamped(let keyPhrase, let time) = scheme {
            guard !keyPhrase.isEmpty else {
                throw .invalidProfile("invalid login profile: empty keyPhrase")
            }
            guard !time.field.isEmpty else {
                throw .invalidProfile("invalid login profile: empty timeField")
            }
            paths.append(("timePath", time.path))
            if let timeZone = time.timeZone { _ = try ServerZone(timeZone) }
        }
        for (name, path) in paths {
            guard path.utf8.starts(with: "/".utf8), !path.utf8.starts(with: "//".utf8) else {
                throw .invalidProfile("invalid login profile: \(name) must begin with exactly one slash")
            }
        }
        if let server {
            do throws(ClientError) {
                _ = try HTTPURL(server)
            } catch {
                throw .invalidProfile("invalid login profile: server is not an http or https URL")
            }
        }
        guard !usernameField.isEmpty, !passwordField.isEmpty,
            !ASCIIText.areEqual(usernameField, passwordField)
        else {
            throw .invalidProfile("invalid login profile: user name and password need two different fields")
        }
        if let step = secondStep {
            guard !step.codeField.isEmpty, !ASCIIText.areEqual(step.codeField, usernameField),
                !ASCIIText.areEqual(step.codeField, passwordField)
            else {
                throw .invalidProfile(
                    "invalid login profile: the code of the second step needs a field of its own"
                )
            }
            try check(step.required, of: "required", statuses: 200...499)
        }
        if let tokenHeader {
            guard let name = HTTPField.Name(tokenHeader) else {
                throw .invalidProfile("invalid login profile: tokenHeader is not a valid header name")
            }
            guard !Self.takenHeaders.contains(name.canonicalName) else {
                throw .invalidProfile(
                    "invalid login profile: tokenHeader is a header that HTTP reserves"
                )
            }
        }
        try checkToken()
        try check(success, of: "success", statuses: 200...399)
        for page in expiry.loginPages {
            guard page.utf8.first == UInt8(ascii: "/") else {
                throw .invalidProfile(
                    "invalid login profile: every path in loginPages must begin with a slash"
                )
            }
        }
        // With status 200, every ordinary page would start a login.
        guard expiry.statuses.allSatisfy({ (400...499).contains($0) }) else {
            throw .invalidProfile(
                "invalid login profile: expired statuses must be from 400 to 499 (redirects are followed, and a "
                    + "server error does not mean that a login has expired)"
            )
        }
    }

    /// Headers that determine message framing or have another purpose. A server must not choose their values.
    static let takenHeaders: Set<String> = [
        "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection",
        "keep-alive", "upgrade", "te", "trailer", "expect", "proxy-authorization", "proxy-connection",
        "http2-settings", "cookie", "set-cookie", "location", "date",
    ]

    private func check(
        _ rule: SuccessRule,
        of member: String,
        statuses: ClosedRange<Int>
    ) throws(ClientError) {
        switch rule {
        case .field(let name, _):
            guard !name.isEmpty else {
                throw .invalidProfile("invalid login profile: \(member) has an empty field")
            }
        case .envelope(let envelope):
            guard envelope.code != nil, !envelope.successCodes.isEmpty else {
                throw .invalidProfile(
                    "invalid login profile: \(member) has an envelope without success codes"
                )
            }
        case .status(let status):
            guard statuses.contains(status) else {
                throw .invalidProfile(
                    "invalid login profile: the status in \(member) must be from \(statuses.lowerBound) to "
                        + "\(statuses.upperBound)"
                )
            }
        }
    }
}
