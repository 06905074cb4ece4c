// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class AtomicFileTests: FileTestCase {
    private func write(
        _ bytes: [UInt8],
        as name: String,
        in folder: String? = nil
    ) throws(SystemError) {
        var file = try AtomicFile(
            in: PrivateDirectory(folder ?? self.folder, isCreated: false),
            temporaryName: ".temporary",
            "cannot write the file"
        )
        try file.write(bytes)
        try file.synchronize()
        try file.commit(as: name)
    }

    func testFileHasItsNameWhenItIsCommittedAndReplacesTheOldOne() throws {
        try store([1], as: "file")
        let directory = try PrivateDirectory(folder, isCreated: false)
        var file = try AtomicFile(in: directory, temporaryName: ".temporary", "cannot write")
        try file.write([2])
        try file.write([3, 4])
        XCTAssertEqual(try content("file"), [1])
        XCTAssertEqual(try names(), [".temporary", "file"])
        try file.synchronize()
        try file.commit(as: "file")
        XCTAssertEqual(try content("file"), [2, 3, 4])
        XCTAssertEqual(try names(), ["file"])
    }

    func testFileIsPrivateWhateverTheUmask() throws {
        for mask: mode_t in [0, 0o777] {
            let before = umask(mask)
            defer { umask(before) }
            try write([1], as: "file")
            XCTAssertEqual(try permissions("file"), 0o600)
        }
    }

    func testFileThatIsNotCommittedLeavesNothing() throws {
        do {
            let directory = try PrivateDirectory(folder, isCreated: false)
            let file = try AtomicFile(in: directory, temporaryName: ".temporary", "cannot write")
            try file.write([1])
        }
        XCTAssertEqual(try names(), [])
    }

    func testFullDiskLeavesTheOldFileAndNoTemporaryOne() throws {
        try write([1, 2, 3], as: "file")
        let large = [UInt8](repeating: 7, count: 100_000)
        let error = withFileSizeLimit(50_000) { failure { try write(large, as: "file") } }
        XCTAssertEqual(error?.kind, .inputOutput)
        XCTAssertEqual(error?.description, "cannot write the file: File too large")
        XCTAssertEqual(try content("file"), [1, 2, 3])
        XCTAssertEqual(try names(), ["file"])
        try write(large, as: "file")
        XCTAssertEqual(try content("file"), large)
    }

    func testDiskWithoutSpaceLeavesTheOldFileAndNoTemporaryOne() throws {
        try withSmallDisk(128 << 10) { disk in
            try write([1, 2, 3], as: "file", in: disk)
            let error = failure { try write([UInt8](repeating: 7, count: 1 << 20), as: "file", in: disk) }
            XCTAssertEqual(error?.description, "cannot write the file: No space left on device")
            XCTAssertEqual(try content("file", in: disk), [1, 2, 3])
            XCTAssertEqual(try names(in: disk), ["file"])
            // The space that was used is free again.
            try write([UInt8](repeating: 8, count: 64 << 10), as: "file", in: disk)
        }
    }

    func testTemporaryFileOfAnotherWriterIsNeitherUsedNorRemoved() throws {
        try store([9], as: ".temporary")
        let error = failure { try write([1], as: "file") }
        XCTAssertEqual(error?.description, "cannot write the file: File exists")
        XCTAssertEqual(try content(".temporary"), [9])
        XCTAssertEqual(try names(), [".temporary"])
    }

    func testCommitThatFailsLeavesTheTargetAndNoTemporaryFile() throws {
        try FileManager.default.createDirectory(
            atPath: folder + "/file/inside",
            withIntermediateDirectories: true
        )
        XCTAssertEqual(failure { try write([1], as: "file") }?.kind, .inputOutput)
        XCTAssertEqual(try names(), ["file"])
    }

    func testNewFileNeverReplacesOne() throws {
        let directory = try PrivateDirectory(folder, isCreated: false)
        for (bytes, isNew) in [([1], true), ([2], false)] as [([UInt8], Bool)] {
            var file = try AtomicFile(in: directory, temporaryName: ".temporary", "cannot write")
            try file.write(bytes)
            try file.synchronize()
            XCTAssertEqual(try file.commit(asNew: "file"), isNew)
        }
        XCTAssertEqual(try content("file"), [1])
        XCTAssertEqual(try names(), ["file"])
    }

    func testOneOfManyWritersWinsANewName() throws {
        let directory = try PrivateDirectory(folder, isCreated: false)
        let winners = Lock<[Int]>([])
        JoinedThreads.run(8) { number in
            do {
                var file = try AtomicFile(in: directory, temporaryName: ".\(number)", "cannot write")
                try file.write([UInt8](repeating: UInt8(number), count: 10_000))
                try file.synchronize()
                if try file.commit(asNew: "file") { winners.withLock { $0.append(number) } }
            } catch {
                XCTFail("\(error)")
            }
        }
        let winner = try XCTUnwrap(winners.withLock { $0 }.first)
        XCTAssertEqual(winners.withLock { $0 }, [winner])
        XCTAssertEqual(try content("file"), [UInt8](repeating: UInt8(winner), count: 10_000))
        XCTAssertEqual(try names(), ["file"])
    }
}
