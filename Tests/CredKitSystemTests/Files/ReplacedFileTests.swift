// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitSystem

/// Who can read and write a file that replaces another one.
final class ReplacedFileTests: FileTestCase {
    private func replace() throws {
        let new = try PartialFile(folder + "/file", "cannot write")
        try new.write([1], at: 0)
        try new.commit()
        XCTAssertEqual(try content("file"), [1])
    }

    private func status() throws -> stat {
        var status = stat()
        XCTAssertEqual(lstat(folder + "/file", &status), 0)
        return status
    }

    /// Runs python, which has the calls for access control lists that Swift does not import.
    private func python(_ script: String) throws -> String {
        let program = """
            import os, struct, sys
            ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
            ANY = 0xffffffff
            def pack(*entries):
                return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
            os.chdir(sys.argv[1])
            \(script)
            """
        let outcome = try Program.run(["python3", "-c", program, folder])
        try XCTSkipIf(outcome.status == 3, "this file system has no access control lists")
        XCTAssertEqual(outcome.status, 0)
        return outcome.text
    }

    func testGroupIsKept() throws {
        try XCTSkipUnless(geteuid() == 0, "only root can give a file to any group")
        try store([7], as: "file")
        XCTAssertEqual(chown(folder + "/file", uid_t.max, 12345), 0)
        chmod(folder + "/file", 0o640)
        try replace()
        XCTAssertEqual(try status().st_gid, 12345)
        XCTAssertEqual(try permissions("file"), 0o640)
    }

    /// Without the right to keep it, the new group gets nothing, and the others not more than the old group had.
    func testAnotherGroupGetsNoAccess() throws {
        try XCTSkipUnless(geteuid() == 0, "only root can become another user")
        for (old, expected) in [(0o640, 0o600), (0o664, 0o604), (0o604, 0o600), (0o646, 0o604)] {
            try store([7], as: "file")
            XCTAssertEqual(chown(folder + "/file", 65534, 12345), 0)
            XCTAssertEqual(chmod(folder + "/file", mode_t(old)), 0)
            XCTAssertEqual(chown(folder, 65534, gid_t.max), 0)
            XCTAssertEqual(seteuid(65534), 0)
            defer { seteuid(0) }
            try replace()
            XCTAssertEqual(try permissions("file"), mode_t(expected), String(old, radix: 8))
            XCTAssertNotEqual(try status().st_gid, 12345)
            XCTAssertEqual(seteuid(0), 0)
            unlink(folder + "/file")
        }
    }

    func testFileOfAnotherUserHasNoEffect() throws {
        try XCTSkipUnless(geteuid() == 0, "only root can give a file away")
        let new = try PartialFile(folder + "/file", "cannot write")
        // Another one would be refused at the start.
        try store([7], as: "file")
        chmod(folder + "/file", 0o666)
        XCTAssertEqual(chown(folder + "/file", 65534, 12345), 0)
        try new.commit()
        XCTAssertEqual(try permissions("file"), 0o600)
        XCTAssertEqual(try status().st_gid, getegid())
    }

    /// With a list, the permissions of the group are those of the named users: without the list they would be the group's.
    func testAccessControlListIsKept() throws {
        try store([7], as: "file")
        let read = "print(os.getxattr('file', ACCESS).hex())"
        let before = try python(
            """
            try: os.setxattr("file", ACCESS, pack((1, 6, ANY), (2, 6, 1234), (4, 0, ANY), (16, 6, ANY), (32, 0, ANY)))
            except OSError: sys.exit(3)
            \(read)
            """
        )
        XCTAssertEqual(try permissions("file"), 0o660)
        try replace()
        XCTAssertEqual(try permissions("file"), 0o660)
        XCTAssertEqual(try python(read), before)
    }

    func testListOfTheFolderIsNotInherited() throws {
        try store([7], as: "file")
        chmod(folder + "/file", 0o640)
        _ = try python(
            """
            try: os.setxattr(".", DEFAULT, pack((1, 7, ANY), (2, 7, 1234), (4, 5, ANY), (16, 7, ANY), (32, 0, ANY)))
            except OSError: sys.exit(3)
            """
        )
        try replace()
        XCTAssertEqual(try permissions("file"), 0o640)
        XCTAssertEqual(try python("print(ACCESS in os.listxattr('file'))"), "False\n")
    }
}
