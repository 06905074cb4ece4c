// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitSystem

/// A test with a folder of its own, which only this user can change.
class FileTestCase: XCTestCase {
    private(set) var folder = ""

    override func setUpWithError() throws { folder = try TemporaryFolder.make() }

    override func tearDown() { TemporaryFolder.remove(folder) }

    /// The names in the folder, sorted.
    func names(in folder: String? = nil) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder ?? self.folder).sorted()
    }

    func content(_ name: String, in folder: String? = nil) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: (folder ?? self.folder) + "/" + name)))
    }

    func store(_ bytes: [UInt8], as name: String, in folder: String? = nil) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: (folder ?? self.folder) + "/" + name))
    }

    func permissions(_ name: String) throws -> mode_t {
        var status = stat()
        XCTAssertEqual(lstat(folder + "/" + name, &status), 0)
        return status.st_mode & 0o7777
    }

    /// What `body` has thrown.
    func failure(_ body: () throws -> Void) -> SystemError? {
        do {
            try body()
            return nil
        } catch {
            XCTAssertTrue(error is SystemError, "\(error)")
            return error as? SystemError
        }
    }

    /// Calls `body` while no file of this process can grow beyond a size, as on a full disk.
    func withFileSizeLimit<Value>(_ byteCount: Int, _ body: () throws -> Value) rethrows -> Value {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        let handler = signal(SIGXFSZ, SIG_IGN)
        var limited = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: before.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limited)
        defer {
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
            signal(SIGXFSZ, handler)
        }
        return try body()
    }

    /// Calls `body` with a folder on a disk of its own of this size, which needs root and the right to mount.
    func withSmallDisk(_ byteCount: Int, _ body: (String) throws -> Void) throws {
        let disk = folder + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try XCTSkipUnless(
            mount("none", disk, "tmpfs", 0, "size=\(byteCount),mode=700") == 0,
            "this user cannot mount a disk"
        )
        defer { umount(disk) }
        try body(disk)
    }
}
