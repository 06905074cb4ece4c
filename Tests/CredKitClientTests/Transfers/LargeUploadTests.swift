// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Sends a large file over a connection to a server whose logins expire while it reads.
final class LargeUploadTests: SessionTestCase {
    private struct Receipt: Decodable, Equatable, Sendable {
        let user: String
        let size: Int
        let sha256: String
    }

    private static let isDeep = TestForm.isDeep

    /// Writes a file. Each of its blocks differs from all others.
    private func write(_ byteCount: Int, to path: String) throws {
        let block = 1 << 20
        XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var bytes = Data(SecureRandom.bytes(count: block))
        for index in 0..<byteCount / block {
            bytes.replaceSubrange(0..<4, with: withUnsafeBytes(of: UInt32(index)) { Array($0) })
            try file.write(contentsOf: bytes)
        }
    }

    func testLargeFileIsSentAgainFromItsStartAfterARenewal() async throws {
        let (path, size) = (folder + "/source", Self.isDeep ? 512 << 20 : 16 << 20)
        try write(size, to: path)
        let login = try LoginServer()
        let session = try session(login.url, transport: CurlTransport.shared) { $0.now = { .now } }
        try await session.logIn(username: "alice", password: "zhang")
        try login.ask("/admin/data?mode=expire")
        let starts = Lock<[Int]>([])
        let memory = try PeakMemory()
        let response = try await session.send(Endpoint<Receipt>(.put, "/data", payload: .file(path))) {
            report in
            guard report.completed == 0 else { return }
            starts.withLock { $0.append(report.attempt) }
        }
        try memory.assertGrowth(isBelow: 64 << 20)
        let expected = try SHA256.hash(contentsOfFile: path).hex
        XCTAssertEqual(response.value, Receipt(user: "alice", size: size, sha256: expected))
        let counts = try login.counts
        XCTAssertEqual(counts.uploads, [expected, expected])
        XCTAssertEqual(counts.logins, 2)
        XCTAssertEqual(starts.withLock { $0 }, [1, 2])
    }
}
