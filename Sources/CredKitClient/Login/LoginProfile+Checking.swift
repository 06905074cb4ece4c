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
        if let tokenHeader, HTTPField.Name(tokenHeader) == nil {
            throw .invalidProfile("the login profile's tokenHeader is no name of a header")
        }
        // Every page but one that answers 200 would otherwise start a login.
        guard expiry.statuses.allSatisfy({ (300...499).contains($0) }) else {
            throw .invalidProfile(
                "the login profile's expired statuses must be from 300 to 499: a server's own trouble is no expiry"
            )
        }
    }
}
