// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class NewFileTests: FileTestCase {
    private func write(
        _ bytes: [UInt8],
        as name: String,
        in folder: String? = nil
    ) throws(SystemError) {
        var file = try NewFile.create(Array("\(folder ?? self.folder)/\(name)".utf8), "cannot write the file")
        try file.write(bytes.span)
        try file.commit()
    }

    func testFileHasItsNameWhenItIsCommitted() throws {
        var file = try NewFile.create(Array((folder + "/file").utf8), "cannot write")
        try file.write([1, 2].span)
        XCTAssertEqual(try names(), [])
        try file.commit()
        XCTAssertEqual(try content("file"), [1, 2])
    }

    func testFileIsPrivateWhateverTheUmask() throws {
        for (name, mask) in [("a", 0), ("b", 0o777)] as [(String, mode_t)] {
            let before = umask(mask)
            defer { umask(before) }
            try write([1], as: name)
            XCTAssertEqual(try permissions(name), 0o600)
        }
    }

    func testExistingFilesAndLinksAreNotReplaced() throws {
        try store([9], as: "file")
        symlink("nowhere", folder + "/link")
        for name in ["file", "link"] {
            XCTAssertEqual(
                failure { try write([1], as: name) }?.description,
                "cannot write the file: File exists"
            )
        }
        XCTAssertEqual(try content("file"), [9])
        XCTAssertEqual(try names(), ["file", "link"])
    }

    func testFileThatIsNotCommittedLeavesNothing() throws {
        do {
            let file = try NewFile.create(Array((folder + "/file").utf8), "cannot write")
            try file.write([1].span)
        }
        XCTAssertEqual(try names(), [])
    }

    func testFullDiskLeavesNothing() throws {
        let large = [UInt8](repeating: 7, count: 100_000)
        let error = withFileSizeLimit(50_000) { failure { try write(large, as: "file") } }
        XCTAssertEqual(error?.kind, .inputOutput)
        XCTAssertEqual(try names(), [])
        try write(large, as: "file")
        XCTAssertEqual(try content("file"), large)
    }

    func testDiskWithoutSpaceLeavesNothing() throws {
        try withSmallDisk(128 << 10) { disk in
            let error = failure { try write([UInt8](repeating: 7, count: 1 << 20), as: "file", in: disk) }
            XCTAssertEqual(error?.description, "cannot write the file: No space left on device")
            XCTAssertEqual(try names(in: disk), [])
            try write([UInt8](repeating: 8, count: 64 << 10), as: "file", in: disk)
        }
    }

    // MARK: Without files that have no name

    private func writeUnderTemporaryName(_ bytes: [UInt8], as name: String) throws(SystemError) {
        var file = try NewFile.create(Array("\(folder)/\(name)".utf8), "cannot write", hasTemporaryName: true)
        try file.write(bytes.span)
        try file.commit()
    }

    func testNoPartOfAFileHasItsName() throws {
        do {
            var file = try NewFile.create(
                Array((folder + "/file").utf8),
                "cannot write",
                hasTemporaryName: true
            )
            try file.write([1, 2].span)
            let names = try names()
            XCTAssertEqual(names.count, 1)
            XCTAssertTrue(names[0].hasPrefix(".credkit-"), names[0])
            try file.commit()
            XCTAssertEqual(try self.names(), ["file"])
        }
        XCTAssertEqual(try content("file"), [1, 2])
        XCTAssertEqual(try permissions("file"), 0o600)
        do {
            let file = try NewFile.create(
                Array((folder + "/other").utf8),
                "cannot write",
                hasTemporaryName: true
            )
            try file.write([1].span)
        }
        XCTAssertEqual(try names(), ["file"])
    }

    func testFileWithTemporaryNameReplacesNothing() throws {
        try store([9], as: "file")
        symlink("nowhere", folder + "/link")
        for name in ["file", "link"] {
            XCTAssertEqual(
                failure { try writeUnderTemporaryName([1], as: name) }?.description,
                "cannot write: File exists"
            )
        }
        XCTAssertEqual(try content("file"), [9])
        XCTAssertEqual(try names(), ["file", "link"])
    }

    /// Where renaming without replacing is not possible.
    func testNewNameIsALink() throws {
        try store([1], as: "a")
        try store([2], as: "b")
        let place = try OutputPath(newFileAt: Array("\(folder)/a".utf8), "cannot write")
        let names = ["a", "b", "c"].map { Array($0.utf8CString) }
        XCTAssertEqual(NewName.link(names[0], to: names[1], in: place.folder.number), EEXIST)
        XCTAssertEqual(NewName.rename(names[0], to: names[1], in: place.folder.number), EEXIST)
        XCTAssertEqual(try content("b"), [2])
        XCTAssertEqual(NewName.link(names[0], to: names[2], in: place.folder.number), 0)
        XCTAssertEqual(try self.names(), ["b", "c"])
        XCTAssertEqual(try content("c"), [1])
    }

    func testMissingFolderIsReported() {
        XCTAssertEqual(failure { try write([1], as: "missing/file") }?.kind, .notFound)
    }

    func testOneOfManyWritersWins() throws {
        let winners = Lock<[Int]>([])
        let path = Array((folder + "/file").utf8)
        JoinedThreads.run(8) { number in
            do {
                var file = try NewFile.create(path, "cannot write")
                try file.write([UInt8](repeating: UInt8(number), count: 10_000).span)
                try file.commit()
                winners.withLock { $0.append(number) }
            } catch {
                XCTAssertTrue("\(error)".contains("File exists"), "\(error)")
            }
        }
        let winner = try XCTUnwrap(winners.withLock { $0 }.first)
        XCTAssertEqual(winners.withLock { $0 }, [winner])
        XCTAssertEqual(try content("file"), [UInt8](repeating: UInt8(winner), count: 10_000))
    }
}
