// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import Foundation
import XCTest

@testable import CredKitClient

/// Where a session keeps the secret with which it logs in again: each login has a place of its own.
final class SecretKeyTests: SessionTestCase {
    func testEachLoginHasItsOwnSecret() throws {
        var other = LoginProfile.form()
        other.loginPath = "/b/login.php"
        var field = LoginProfile.form()
        field.passwordField = "comment"
        let logins: [(String, LoginProfile)] = [
            ("http://127.0.0.1:1", .form()), ("http://127.0.0.1:1/a", .form()),
            ("http://127.0.0.1:1/b", .form()),
            ("http://127.0.0.1:1", other), ("http://127.0.0.1:1", field),
            ("http://127.0.0.1:1", .timestamped(keyPhrase: "itheima")),
            ("http://127.0.0.1:1", .oauth(clientID: "a", tokenPath: "/token")),
            ("http://127.0.0.1:1", .oauth(clientID: "b", tokenPath: "/token")),
            ("http://127.0.0.1:1", .oauth(clientID: "a", tokenPath: "/b/token")),
        ]
        var keys: Set<[String: String]> = []
        for (url, profile) in logins {
            let session = try session(url, profile: profile)
            let key = session.secretKey(of: "alice")
            XCTAssertEqual(key.service, "http://127.0.0.1:1")
            keys.insert(key.attributes)
            // A later process finds it by what is stored, also if it has another profile.
            let contents = SessionContents(
                server: session.server.absoluteString,
                credentialOrigins: [],
                profile: Data(profile.json()),
                service: session.service,
                account: "alice",
                loginID: "1",
                cookies: Data(),
                savesPassword: true,
                allowsInsecureHTTP: false
            )
            let found = try self.session("http://127.0.0.1:1/c", profile: .basic()).secretKey(of: contents)
            XCTAssertEqual(found, key)
        }
        XCTAssertEqual(keys.count, logins.count, "\(keys)")
    }
}
