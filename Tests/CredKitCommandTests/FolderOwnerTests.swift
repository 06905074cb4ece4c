// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Where a user's vault and sessions are refused because of the owners and groups of the folders above them.
final class FolderOwnerTests: XCTestCase {
    private var shell: Shell!
    private static let user = "setpriv --reuid=54321 --regid=54321 --clear-groups"

    override func setUpWithError() throws {
        shell = try Shell()
        try XCTSkipUnless(geteuid() == 0, "only root can become another user")
        let outcome = try shell.run("\(Self.user) credkit --version")
        try XCTSkipUnless(outcome.status == 0, "another user cannot run the command here: \(outcome.errors)")
    }

    override func tearDown() { shell.remove() }

    /// Stores a secret below a folder of mode 2775 of a user, and returns the exit status.
    private func status(passwd: String, group: String, _ change: String = ":") throws -> String {
        let outcome = try shell.run(
            """
            printf '\(passwd)\\n' > passwd; printf '\(group)\\n' > group; rm -rf home; mkdir home
            chown 54321:54321 home; chmod 2775 home; \(change) || exit 99
            printf s3cret | unshare --mount bash -c 'mount --bind passwd /etc/passwd && mount --bind group /etc/group &&
                HOME=$PWD/home exec \(Self.user) credkit keychain set s a'; echo $?
            ls -A home | wc -l
            """
        )
        return outcome.text.split(separator: "\n").joined(separator: " ")
    }

    func testFoldersOfAPrivateGroupAreAccepted() throws {
        let canMount = try shell.run("unshare --mount bash -c 'mount --bind bin /etc'")
        try XCTSkipUnless(canMount.status == 0, "this user cannot mount files: \(canMount.errors)")
        let (root, alice) = ("root:x:0:0::/:/bin/sh", "alice:x:54321:54321::/:/bin/sh")
        for (passwd, group, expected) in [
            ("\(root)\\n\(alice)", "root:x:0:\\nalice:x:54321:", "0 1"),
            ("\(root)\\n\(alice)", "root:x:0:\\nalice:x:54321:alice,root", "0 1"),
            // Another user is in the group.
            ("\(root)\\n\(alice)", "root:x:0:\\nalice:x:54321:alice,bob", "77 0"),
            ("\(root)\\nbob:x:7:54321::/:/bin/sh\\n\(alice)", "root:x:0:\\nalice:x:54321:", "77 0"),
            ("\(root)\\n\(alice)\\nbob:x:7:54321::/:/bin/sh", "root:x:0:\\nalice:x:54321:", "77 0"),
            // It is a group for several users, whose members may be unknown here.
            ("\(root)\\n\(alice)", "root:x:0:\\nusers:x:54321:", "77 0"),
            ("\(root)\\nalice:x:54321:100::/:/bin/sh", "root:x:0:\\nalice:x:54321:", "77 0"),
            ("\(root)\\n\(alice)", "root:x:0:", "77 0"), ("\(root)", "root:x:0:\\nalice:x:54321:", "77 0"),
        ] {
            XCTAssertEqual(try status(passwd: passwd, group: group), expected, "\(passwd) \(group)")
        }
        // Folders of root's own group, and of another group.
        for (change, others, expected) in [
            ("chgrp 0 home; chmod 775 home", "", "0 1"), ("chgrp 0 home; chmod 775 home", "bob", "77 0"),
            ("chgrp 7 home; chmod 775 home", "", "77 0"), ("chmod 777 home", "", "77 0"),
        ] {
            let group = "root:x:0:\(others)\\nbin:x:7:\\nalice:x:54321:"
            XCTAssertEqual(try status(passwd: "\(root)\\n\(alice)", group: group, change), expected, change)
        }
        if try shell.run("setfacl -m u:7:rwx bin/home").status == 0 {
            let list = "setfacl -m u:7:rwx home"
            XCTAssertEqual(
                try status(passwd: "\(root)\\n\(alice)", group: "root:x:0:\\nalice:x:54321:", list),
                "77 0"
            )
        }
    }

    func testFolderOfAnotherUserIsRefused() throws {
        let outcome = try shell.run(
            """
            mkdir -p a/b c; chown 7 a; chown 54321:54321 a/b c; chmod 755 a
            for folder in a/b c; do
                printf x | HOME=$PWD/$folder \(Self.user) credkit keychain set s; echo $?
                printf x | HOME=$PWD/$folder credkit keychain set s; echo $?
            done; ls -A a/b c
            """
        )
        // Root refuses the home folder of any user, and creates nothing there.
        XCTAssertEqual(outcome.text, "77\n77\n0\n77\na/b:\n\nc:\n.local\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("/a belongs to another user (7)"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("set HOME to root's home folder"), outcome.errors)
    }

    /// In a container that a user has set up, root's folders belong to a user that does not exist.
    func testFoldersOfRootAreTrustedInAContainerOfTheUser() throws {
        let container = "\(Self.user) unshare --user --map-user=54321"
        let canUnshare = try shell.run("\(container) stat -c %u /")
        try XCTSkipUnless(
            canUnshare.text == "65534\n",
            "this user cannot set up a container: \(canUnshare.errors)"
        )
        let outcome = try shell.run(
            """
            # Not in /tmp, where any user could have created a folder of an unknown owner.
            chown 54321 .; mkdir -p root/home root/open/home; chown 54321 root/home root/open/home; chmod 777 root/open
            printf x | HOME=$PWD/root/home \(container) credkit keychain set s; echo $?
            printf x | HOME=$PWD/root/open/home \(container) credkit keychain set s; echo $?
            # Outside, the same number is that of an ordinary user.
            chown 65534 root; printf x | HOME=$PWD/root/home \(Self.user) credkit keychain set s; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "0\n77\n77\n", outcome.errors)
    }

    func testSessionFolderThatOthersCanWriteToIsRefused() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        let outcome = try shell.run(
            """
            export HOME=$PWD/home; mkdir home
            logIn() { printf 123456 | credkit login \(url) --user alice --key-phrase itheima --quiet; echo $?; }
            logIn; chmod 777 home/.local/state/credkit/sessions
            credkit request \(url)/bytes > /dev/null; echo $?; logIn; credkit sessions; echo $?; credkit logout; echo $?
            chmod 700 home/.local/state/credkit/sessions; logIn; chmod 777 home/.local/state
            credkit request \(url)/bytes > /dev/null; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "0\n77\n77\n77\n77\n0\n77\n", outcome.errors)
    }
}
