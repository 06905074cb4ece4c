// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKit

final class MD5FilesTests: XCTestCase {
    /// Records the outcomes it receives, and stops after a number of them.
    private struct Notes: MD5Files.Receiver {
        var outcomes: [MD5Files.Outcome] = []
        /// The number of hashed bytes that each call reported.
        var byteCounts: [Int] = []
        var limit = Int.max

        mutating func receive(_ outcomes: [MD5Files.Outcome]) -> Bool {
            self.outcomes += outcomes
            return self.outcomes.count < limit
        }

        mutating func advance(by byteCount: Int) { byteCounts.append(byteCount) }
    }

    private var folder = URL(fileURLWithPath: "/tmp/credkit-tests-\(UUID().uuidString)")

    override func setUpWithError() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    override func tearDown() { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> [UInt8] { Array(folder.appendingPathComponent(name).path.utf8) }

    /// Writes files of many sizes.
    private func write(_ count: Int) throws -> (paths: [[UInt8]], digests: [MD5Files.Outcome]) {
        var random = SeededGenerator(seed: 12)
        var digests: [MD5Files.Outcome] = []
        for index in 0..<count {
            let size = Int.random(in: 0...(index % 20 == 0 ? 200_000 : 3000), using: &random)
            let content = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            try Data(content).write(to: folder.appendingPathComponent("\(index)"))
            digests.append(.success(Legacy.MD5.hash(data: content)))
        }
        return ((0..<count).map { path("\($0)") }, digests)
    }

    func testDigestsComeInTheOrderOfThePaths() throws {
        let (paths, digests) = try write(300)
        for count in [0, 1, 2, 15, 16, 17, 33, 300] {
            var notes = Notes()
            MD5Files(paths[...]).hash(0..<count, to: &notes)
            // The caller hashes a single file.
            XCTAssertEqual(notes.outcomes, count == 1 ? [] : Array(digests[..<count]), "\(count)")
            // A progress line reported after the end would stay on the terminal.
            XCTAssertFalse(notes.byteCounts.contains(0), "\(count)")
        }
        var notes = Notes()
        MD5Files(paths[...]).hash(100..<300, to: &notes)
        XCTAssertEqual(notes.outcomes, Array(digests[100...]))
        XCTAssertGreaterThan(notes.byteCounts.reduce(0, +), 0)
    }

    func testVirtualFilesAreNotReadAhead() throws {
        let (paths, digests) = try write(4)
        let system = "/sys/kernel/mm/transparent_hugepage/enabled"
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/system",
            withDestinationPath: system
        )
        let descriptor = open(folder.path + "/0", O_RDONLY)
        defer { close(descriptor) }
        let own = ["/proc/self/fd/\(descriptor)", "//proc/self/fd/\(descriptor)", "/dev/fd/\(descriptor)"]
        for special in own + ["/proc/version", "/proc/self/exe", system, folder.path + "/system"] {
            var notes = Notes()
            MD5Files((paths[..<2] + [Array(special.utf8)] + paths[2...])[...]).hash(0..<5, to: &notes)
            XCTAssertEqual(notes.outcomes, Array(digests[..<2]), special)
        }
    }

    func testNothingIsReadAheadAfterANonregularFile() throws {
        let (paths, digests) = try write(120)
        XCTAssertEqual(mkfifo(folder.appendingPathComponent("pipe").path, 0o600), 0)
        for place in [0, 2, 16, 31, 32, 70, 119] {
            var mixed = paths
            mixed.insert(path("pipe"), at: place)
            var notes = Notes()
            MD5Files(mixed[...]).hash(0..<121, to: &notes)
            XCTAssertEqual(notes.outcomes, Array(digests[..<place]), "\(place)")
        }
    }

    func testUnreadableFilesKeepTheirPlace() throws {
        var (paths, expected) = try write(120)
        let unreadable: [(name: String, error: FileError)] = [
            ("missing", FileError(.open, errorNumber: ENOENT)), ("", FileError(.read, errorNumber: EISDIR)),
            ("0/missing", FileError(.open, errorNumber: ENOTDIR)),
            (String(repeating: "x", count: 300), FileError(.open, errorNumber: ENAMETOOLONG)),
        ]
        for place in [0, 2, 16, 31, 32, 70, 119] {
            for (name, error) in unreadable {
                paths.insert(path(name), at: place)
                expected.insert(.failure(error), at: place)
            }
        }
        paths.append([])
        expected.append(.failure(FileError(.open, errorNumber: ENOENT)))
        var notes = Notes()
        MD5Files(paths[...]).hash(paths.indices, to: &notes)
        XCTAssertEqual(notes.outcomes, expected)
    }

    func testReadingStopsWhenTheReceiverStops() throws {
        let (paths, digests) = try write(300)
        // The thread that has the first file may stall until the other one has read all the rest.
        var isStopped = false
        for _ in 0..<50 where !isStopped {
            var notes = Notes(limit: 1)
            MD5Files(paths[...]).hash(0..<300, to: &notes)
            XCTAssertEqual(notes.outcomes, Array(digests.prefix(notes.outcomes.count)))
            isStopped = notes.outcomes.count < 300
        }
        XCTAssertTrue(isStopped)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        XCTAssertFalse(open.contains { $0.hasPrefix(folder.path) }, "a file is still open")
    }
}
