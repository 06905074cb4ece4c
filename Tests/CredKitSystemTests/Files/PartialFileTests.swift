// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class PartialFileTests: FileTestCase {
    private func file() throws(SystemError) -> PartialFile {
        try PartialFile(folder + "/file", "cannot write")
    }

    private func kind(_ body: () throws -> Void) -> SystemError.Kind? {
        do { try body() } catch { return (error as? SystemError)?.kind }
        return nil
    }

    func testBytesOfAnEarlierRunAreContinued() throws {
        let first = try file()
        try first.write([1, 2, 3], at: 0)
        try first.write(note: [9])
        XCTAssertEqual(try names(), ["file.credkit-note", "file.credkit-part"])
        XCTAssertEqual(try permissions("file.credkit-part"), 0o600)
        first.unlock()
        let second = try file()
        XCTAssertEqual(try second.byteCount(), 3)
        XCTAssertEqual(second.note(limit: 10), [9])
        try second.write([4], at: 3)
        var read: [UInt8] = []
        try second.read(from: 1, to: 4) { read += $0 }
        XCTAssertEqual(read, [2, 3, 4])
        XCTAssertEqual(kind { try second.read(from: 0, to: 5) { _ in } }, .inputOutput)
        try second.commit()
        XCTAssertEqual(try names(), ["file"])
        XCTAssertEqual(try content("file"), [1, 2, 3, 4])
        XCTAssertEqual(try permissions("file"), 0o600)
    }

    func testOneRunAtATime() throws {
        let first = try file()
        XCTAssertEqual(kind { _ = try file() }, .inputOutput)
        first.discard()
        XCTAssertEqual(try names(), [])
        try file().commit()
        XCTAssertEqual(try names(), ["file"])
    }

    func testOldFileIsReplacedWithItsPermissions() throws {
        try store([7], as: "file")
        chmod(folder + "/file", 0o644)
        let new = try file()
        XCTAssertEqual(try content("file"), [7])
        try new.commit()
        XCTAssertEqual(try content("file"), [])
        XCTAssertEqual(try permissions("file"), 0o644)
        try store([7], as: "other")
        unlink(folder + "/file")
        symlink("other", folder + "/file")
        try file().commit()
        XCTAssertEqual(try content("other"), [], "a link is followed")
        XCTAssertEqual(try names(), ["file", "other"])
    }

    func testPartsThatOthersCouldHaveWrittenAreRefused() throws {
        let part = folder + "/file.credkit-part"
        try store([7], as: "other")
        symlink("other", part)
        XCTAssertEqual(kind { _ = try file() }, .insecureFile)
        unlink(part)
        link(folder + "/other", part)
        XCTAssertEqual(kind { _ = try file() }, .insecureFile)
        unlink(part)
        try store([7], as: "file.credkit-part")
        chmod(part, 0o620)
        XCTAssertEqual(kind { _ = try file() }, .insecureFile)
        unlink(part)
        mkfifo(part, 0o600)
        XCTAssertNotNil(kind { _ = try file() })
        unlink(part)
        let note = folder + "/file.credkit-note"
        symlink("other", note)
        XCTAssertNil(try file().note(limit: 10))
        try file().write(note: [1])
        XCTAssertEqual(try content("other"), [7])
        try store([7], as: "file.credkit-note")
        chmod(note, 0o666)
        XCTAssertNil(try file().note(limit: 10))
    }

    func testDevicesAndPipesAreNotReplaced() throws {
        XCTAssertEqual(mkfifo(folder + "/pipe", 0o600), 0)
        for path in [folder + "/pipe", "/dev/null"] {
            XCTAssertNotNil(kind { _ = try PartialFile(path, "cannot write") }, path)
        }
        XCTAssertEqual(try names(), ["pipe"])
    }

    func testPathsThatAreNoFilesAreRefused() throws {
        for path in [
            "", "/", folder, folder + "/", folder + "/.", folder + "/..", folder + "/none/file",
            folder + "/a\0b",
        ] {
            XCTAssertNotNil(kind { _ = try PartialFile(path, "cannot write") }, path)
        }
        XCTAssertEqual(try names(), [])
    }
}
