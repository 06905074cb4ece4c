// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension LoginProfile {
    /// Refuses a profile that no login could be done by.
    func check() throws(LoginError) {
        var paths = [("loginPath", loginPath)]
        if let logoutPath { paths.append(("logoutPath", logoutPath)) }
        if case .timestamped(let keyPhrase, let time) = scheme {
            guard !keyPhrase.isEmpty else {
                throw .invalidProfile("the login profile has an empty keyPhrase")
            }
            guard !time.field.isEmpty else {
                throw .invalidProfile("the login profile has an empty timeField")
            }
            paths.append(("timePath", time.path))
            if let timeZone = time.timeZone { _ = try ServerZone(timeZone) }
        }
        for (name, path) in paths {
            guard path.hasPrefix("/"), !path.hasPrefix("//") else {
                throw .invalidProfile("the login profile's \(name) must begin with one slash")
            }
        }
        guard !usernameField.isEmpty, !passwordField.isEmpty, usernameField != passwordField else {
            throw .invalidProfile("the login profile needs two different fields for name and password")
        }
        if let tokenHeader {
            guard let name = HTTPField.Name(tokenHeader) else {
                throw .invalidProfile("the login profile's tokenHeader is no name of a header")
            }
            guard !Self.takenHeaders.contains(name.canonicalName) else {
                throw .invalidProfile(
                    "the login profile's tokenHeader is a header that HTTP needs for itself"
                )
            }
        }
        try checkSuccess()
        for page in expiry.loginPages {
            guard page.hasPrefix("/") else {
                throw .invalidProfile("the login profile's loginPages are paths, which begin with a slash")
            }
        }
        // Every page but one that answers 200 would otherwise start a login.
        guard expiry.statuses.allSatisfy({ (400...499).contains($0) }) else {
            throw .invalidProfile(
                "the login profile's expired statuses must be from 400 to 499: redirects are followed, and a "
                    + "server's own trouble is no expiry"
            )
        }
    }

    /// Headers that decide how a message is framed, or that carry something else: a server must not choose their values.
    private static let takenHeaders: Set<String> = [
        "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection",
        "keep-alive", "upgrade", "te", "trailer", "expect", "proxy-authorization", "proxy-connection",
        "http2-settings", "cookie", "set-cookie", "location", "date",
    ]

    private func checkSuccess() throws(LoginError) {
        switch success {
        case .field(let name, _):
            guard !name.isEmpty else {
                throw .invalidProfile("the login profile's success has an empty field")
            }
        case .envelope(let envelope):
            guard envelope.code != nil, !envelope.successCodes.isEmpty else {
                throw .invalidProfile("the login profile's success has an envelope without a code of success")
            }
        case .status(let status):
            guard (200...399).contains(status) else {
                throw .invalidProfile(
                    "the login profile's success has a status that is none: 200 to 399 can be"
                )
            }
        }
    }
}
