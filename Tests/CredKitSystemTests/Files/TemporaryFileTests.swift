// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitSystem

final class TemporaryFileTests: FileTestCase {
    /// A file that has lost its name is the same as one that never had one.
    private func files() throws -> [Descriptor] {
        let place = try OutputPath(newFileAt: Array("\(folder)/file".utf8), "cannot write").folder
        let (named, name) = try Descriptor.named(in: place, "cannot write")
        XCTAssertEqual(try names().count, 1)
        XCTAssertEqual(fcntl(named.number, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC)
        unlinkat(place.number, name, 0)
        return [try Descriptor.temporary(in: Array(folder.utf8), "cannot write"), named]
    }

    func testBytesAreReadWhereTheyWereWritten() throws {
        for file in try files() {
            XCTAssertEqual(try names(), [])
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
            try bytes.withUnsafeBytes { try file.writeAll($0, at: 5, "cannot write") }
            var read = [UInt8](repeating: 0, count: 50_000)
            try read.withUnsafeMutableBytes { try file.readAll(into: $0, at: 10, "cannot read") }
            XCTAssertEqual(read, Array(bytes[5..<50_005]))
        }
    }

    func testEndsAreErrors() throws {
        for file in try files() {
            try [1, 2, 3 as UInt8].withUnsafeBytes { try file.writeAll($0, at: 0, "cannot write") }
            var read = [UInt8](repeating: 0, count: 4)
            XCTAssertThrowsError(
                try read.withUnsafeMutableBytes { try file.readAll(into: $0, at: 0, "cannot read") }
            ) { XCTAssertEqual("\($0)", "cannot read: Input/output error") }
            let large = [UInt8](repeating: 7, count: 100_000)
            let outcome = withFileSizeLimit(50_000) {
                Result { try large.withUnsafeBytes { try file.writeAll($0, at: 0, "cannot write") } }
            }
            XCTAssertThrowsError(try outcome.get()) {
                XCTAssertEqual("\($0)", "cannot write: File too large")
            }
        }
    }

    func testMissingFolderIsReported() {
        XCTAssertEqual(
            failure { () throws(SystemError) in
                _ = try Descriptor.temporary(in: Array((folder + "/missing").utf8), "cannot write")
            }?.kind,
            .notFound
        )
    }
}
