// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// A site moves from nginx's `auth_basic` to the login page while its users visit it, as docs/operating.md tells.
@Suite struct HtpasswdRoadTests {
    private static let hasTools = ["/usr/sbin/nginx", "/usr/bin/htpasswd", "/usr/bin/openssl"]
        .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    /// The file is upgraded before the server has it, or while the server replaces its hashes.
    @Test(.enabled(if: hasTools), arguments: ["upgrade-first", "upgrade-later"])
    func noUserIsLockedOutAndNoMD5IsLeft(mode: String) throws {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run("python3 '\(TestScripts.path("htpasswd_road.py"))' \(mode)")
        #expect(
            outcome.text == """
                weak before: 1
                faults: 0 []
                lines: 16 of them added: 8
                MD5 left: 0
                weak after: 0
                passwords that match: 8
                status: 0

                """,
            "\(outcome.errors)"
        )
        #expect(outcome.status == 0)
    }

    /// A user who needs a code has the hash replaced with the login, in two steps.
    @Test(.enabled(if: hasTools)) func aHashIsReplacedWithTheSecondStep() throws {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let outcome = try ProtectedSite.run(
            shell,
            "--replace-hashes",
            """
            printf 'bob:%s\\n' "$(printf s3cret | openssl passwd -apr1 -stdin)" > new; mv new users; kill -HUP $server
            for i in {1..600}; do grep -q reloaded log && break; sleep 0.1; done
            login jar bob s3cret; cut -c 1-10 users
            post jar /auth/login "ticket=$(field ticket)" "otp=$(credkit otp code phone bob)" "rd=$url/a"
            cut -c 1-14 users; curl -s -b jar $url/a
            """
        )
        #expect(
            outcome.text == "200\nbob:$apr1$\n303 SITE/a\nbob:$argon2id$\nuser=bob path=/a\n",
            "\(outcome.errors)"
        )
    }
}
