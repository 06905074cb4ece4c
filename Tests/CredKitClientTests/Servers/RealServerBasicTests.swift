// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitTesting
import Foundation
import XCTest

/// Basic authentication with nginx and Apache httpd, and a table that CredKit hashed.
final class RealServerBasicTests: RealServerTestCase {
    private let password = "pässword: \"+%"

    func testNginxAndHttpdAcceptTheRightPasswordOnly() async throws {
        try #"{"user": "zoë"}"#.write(toFile: root + "/data", atomically: true, encoding: .utf8)
        let table = folder + "/htpasswd"
        var policy = PasswordPolicy.recommended
        policy.preferred = try .sha512Crypt()
        let hash = try PasswordContext(policy: policy).hash(password)
        try "zoë:\(hash)\n".write(toFile: table, atomically: true, encoding: .utf8)
        for path in [table, root + "/data"] { XCTAssertEqual(chmod(path, 0o644), 0) }
        let httpd = """
            LoadModule auth_basic_module /usr/lib/apache2/modules/mod_auth_basic.so
            LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
            LoadModule authn_file_module /usr/lib/apache2/modules/mod_authn_file.so
            LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
            <Location />
                AuthType Basic
                AuthName test
                AuthUserFile \(table)
                Require valid-user
            </Location>
            """
        for server in [
            try RealServer.nginx(root, in: folder, "auth_basic test; auth_basic_user_file \(table);"),
            try RealServer.httpd(root, in: folder, httpd),
        ] {
            let session = try LoginSession(
                server: server.url,
                profile: .basic(checkPath: "/data"),
                keychain: nil
            )
            do throws(ClientError) {
                try await session.logIn(username: "zoë", password: "pässword", savesPassword: false)
                XCTFail("a wrong password was accepted")
            } catch {
                XCTAssertEqual(error, .invalidCredentials)
            }
            try await session.logIn(username: "zoë", password: password, savesPassword: false)
            let data = try await session.value(of: .data)
            XCTAssertEqual(data.user, "zoë")
        }
    }
}
