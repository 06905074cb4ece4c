// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class PrivateDirectoryTests: FileTestCase {
    func testFolderThatOthersCanChangeIsRefused() throws {
        for mode: mode_t in [0o720, 0o702, 0o777] {
            chmod(folder, mode)
            let error = failure { _ = try PrivateDirectory(folder, isCreated: false) }
            XCTAssertEqual(error?.kind, .insecureFile)
            XCTAssertEqual(
                error?.description,
                "others can write into the folder \(folder): run chmod go-w on it"
            )
        }
        chmod(folder, 0o755)
        XCTAssertNil(failure { _ = try PrivateDirectory(folder, isCreated: false) })
    }

    func testFolderOfAnotherUserIsRefused() throws {
        try XCTSkipUnless(geteuid() == 0, "only root can give a folder away")
        chown(folder, 12_345, 12_345)
        let error = failure { _ = try PrivateDirectory(folder, isCreated: false) }
        XCTAssertEqual(error?.kind, .insecureFile)
        let path = folder.replacing("//", with: "/")
        XCTAssertEqual(
            error?.description.hasPrefix("\(path) belongs to another user"),
            true,
            "\(error as Any)"
        )
    }

    func testMissingFoldersAreCreatedForThisUserOnly() throws {
        let path = folder + "/a/b/c"
        XCTAssertEqual(failure { _ = try PrivateDirectory(path, isCreated: false) }?.kind, .notFound)
        _ = try PrivateDirectory(path, isCreated: true)
        for name in ["a", "a/b", "a/b/c"] { XCTAssertEqual(try permissions(name), 0o700) }
    }

    func testFilesThatOthersCanReachAreRefused() throws {
        let directory = try PrivateDirectory(folder, isCreated: false)
        try store([1], as: "file")
        symlink("file", folder + "/link")
        mkfifo(folder + "/pipe", 0o600)
        chmod(folder + "/file", 0o620)
        for name in ["file", "link", "pipe"] {
            XCTAssertEqual(failure { _ = try directory.open(name, O_RDONLY) }?.kind, .insecureFile, name)
            XCTAssertEqual(
                failure { _ = try directory.contents(of: name, limit: 9) }?.kind,
                .insecureFile,
                name
            )
        }
        chmod(folder + "/file", 0o644)
        XCTAssertEqual(try directory.open("file", O_RDONLY).readAll(limit: 10), [1])
    }

    func testReadsFilesUpToALimit() throws {
        let directory = try PrivateDirectory(folder, isCreated: false)
        for count in [0, 1, 5_000, 300_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }
            try store(bytes, as: "file")
            chmod(folder + "/file", 0o600)
            for limit in [0, 1, count, count + 1, .max] {
                XCTAssertEqual(
                    try directory.contents(of: "file", limit: limit),
                    Array(bytes.prefix(limit)),
                    "\(count) of \(limit)"
                )
            }
        }
        XCTAssertEqual(failure { _ = try directory.contents(of: "missing", limit: 1) }?.kind, .notFound)
        // A file that has fewer bytes than it had before is read up to its end.
        try store([1, 2], as: "file")
        XCTAssertEqual(try directory.open("file", O_RDONLY).contents(count: 9), [1, 2])
    }

    func testFolderThatWasReplacedIsNotUsed() throws {
        let path = folder + "/a"
        let directory = try PrivateDirectory(path, isCreated: true)
        rename(path, folder + "/b")
        _ = try PrivateDirectory(path, isCreated: true)
        try directory.create("file", "cannot create").writeAll([1], "cannot write")
        XCTAssertEqual(try names(in: folder + "/b"), ["file"])
        XCTAssertEqual(try names(in: path), [])
    }
}
