// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

/// Which ways to a folder are refused because another user could exchange a part of them.
final class TrustedPathTests: FileTestCase {
    /// A user and group that do not exist.
    private static let other: uid_t = 12_345

    private func make(_ name: String, _ mode: mode_t = 0o700) -> String {
        let path = "\(folder)/\(name)".replacing("//", with: "/")
        XCTAssertEqual(mkdir(path, 0o700), 0, path)
        chmod(path, mode)
        return path
    }

    private func open(_ path: String, isCreated: Bool = false) -> SystemError? {
        failure { _ = try PrivateDirectory(path, isCreated: isCreated) }
    }

    func testFolderInOneThatOthersCanWriteToIsRefused() throws {
        let parent = make("parent")
        _ = make("parent/folder")
        _ = make("parent/folder/vault")
        for (mode, command): (mode_t, String) in [
            (0o702, "o-w"), (0o707, "o-w"), (0o777, "go-w"), (0o722, "go-w"),
        ] {
            chmod(parent, mode)
            for path in ["\(parent)/folder", "\(parent)/folder/vault", "\(parent)/new/vault"] {
                let error = open(path, isCreated: true)
                XCTAssertEqual(error?.kind, .insecureFile, path)
                XCTAssertEqual(
                    error?.description,
                    "others can replace what is in the folder \(parent): run chmod \(command) on it, or chmod +t"
                )
            }
        }
        XCTAssertEqual(try names(in: parent), ["folder"], "nothing is created in a folder that is refused")
        chmod(parent, 0o1777)
        XCTAssertNil(open("\(parent)/folder/vault"), "the sticky bit protects what this user owns")
        XCTAssertNil(open("\(parent)/new/vault", isCreated: true))
        chmod(parent, 0o755)
        XCTAssertNil(open("\(parent)/folder/vault"))
    }

    func testFolderInOneOfAnotherUserIsRefused() throws {
        try XCTSkipUnless(geteuid() == 0, "only root can give a folder away")
        let parent = make("parent")
        _ = make("parent/folder")
        _ = make("parent/folder/vault")
        for mode: mode_t in [0o700, 0o755, 0o1755] {
            chown(parent, Self.other, Self.other)
            chmod(parent, mode)
            for path in ["\(parent)/folder", "\(parent)/folder/vault", "\(parent)/new"] {
                let error = open(path, isCreated: true)
                XCTAssertEqual(error?.kind, .insecureFile, path)
                XCTAssertTrue(
                    error?.description.hasPrefix("\(parent) belongs to another user (12345)")
                        ?? false,
                    error?.description ?? ""
                )
            }
        }
        XCTAssertEqual(try names(in: parent), ["folder"])
    }

    func testGroupOfOthersCannotExchangeAFolder() throws {
        try XCTSkipUnless(geteuid() == 0, "only root can give a folder to any group")
        let parent = make("parent", 0o770)
        _ = make("parent/vault")
        chown(parent, 0, Self.other)
        chmod(parent, 0o770)
        XCTAssertEqual(open("\(parent)/vault")?.kind, .insecureFile)
        chmod(parent, 0o750)
        XCTAssertNil(open("\(parent)/vault"))
    }

    func testStickyFolderProtectsOnlyWhatBelongsToThisUser() throws {
        try XCTSkipUnless(geteuid() == 0, "only root can give a folder away")
        let parent = make("parent", 0o1777)
        let folder = make("parent/folder")
        _ = make("parent/folder/vault")
        chown(folder, Self.other, Self.other)
        XCTAssertEqual(open("\(folder)/vault")?.kind, .insecureFile)
        symlink("/", "\(parent)/link")
        XCTAssertNil(open("\(parent)/link/\(self.folder)"))
        lchown("\(parent)/link", Self.other, Self.other)
        XCTAssertEqual(open("\(parent)/link/\(self.folder)")?.kind, .insecureFile, "a link of another user")
    }

    func testLinksAreFollowedWhereOthersCannotExchangeThem() throws {
        let open = make("open", 0o777)
        _ = make("open/vault")
        _ = make("closed")
        let vault = make("closed/vault")
        for (link, target, isRefused) in [
            ("to-open", "open/vault", true), ("to-open-absolute", "\(open)/vault", true),
            ("open/to-closed", vault, true), ("closed/up", "../closed/vault", false),
            ("to-closed", vault, false), ("to-folder", "./closed//", false),
        ] {
            symlink(target, "\(folder)/\(link)")
            let path = link == "to-folder" ? "\(folder)/to-folder/vault" : "\(folder)/\(link)"
            XCTAssertEqual(self.open(path)?.kind, isRefused ? .insecureFile : nil, link)
        }
        XCTAssertNil(self.open("\(folder)/closed/../closed/./up/"))
        symlink("loop", "\(folder)/loop")
        XCTAssertEqual(
            self.open("\(folder)/loop")?.description.hasSuffix("there are too many symbolic links"),
            true
        )
        symlink("nothing", "\(folder)/dangling")
        XCTAssertEqual(self.open("\(folder)/dangling")?.kind, .notFound)
        try store([1], as: "file")
        XCTAssertEqual(self.open("\(folder)/file/vault")?.kind, .notFound)
        XCTAssertEqual(self.open("\(folder)/file")?.kind, .notFound)
    }

    func testMissingFoldersAreCreatedBehindLinksAndInRelativePaths() throws {
        _ = make("closed")
        symlink("closed", folder + "/link")
        XCTAssertNil(open(folder + "/link/a/b", isCreated: true))
        XCTAssertEqual(try permissions("closed/a/b"), 0o700)
        let before = FileManager.default.currentDirectoryPath
        XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(folder + "/closed"))
        defer { XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(before)) }
        XCTAssertNil(open("a/./b"))
        XCTAssertNil(open("../closed/c", isCreated: true))
        XCTAssertEqual(try names(in: folder + "/closed"), ["a", "c"])
        chmod(folder, 0o777)
        XCTAssertEqual(open("a/b")?.kind, .insecureFile)
        chmod(folder, 0o700)
    }

    func testUnusablePathsAreErrors() {
        XCTAssertNotNil(open(""))
        XCTAssertNotNil(open("/\0/tmp", isCreated: true))
        XCTAssertNotNil(open("/" + String(repeating: "n", count: 300), isCreated: true))
        XCTAssertEqual(open("/proc/none", isCreated: true)?.kind, .notFound)
    }
}
