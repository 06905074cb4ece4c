// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

extension Endpoint<WhoAmI> {
    fileprivate static func upload(_ path: String) -> Self {
        Self(.put, "/data", payload: .file(path))
    }
}

/// Files as bodies of requests, over libcurl and a scripted transport.
final class UploadTests: SessionTestCase {
    private var path: String { folder + "/source" }

    private func write(_ byteCount: Int, seed: UInt8 = 1) throws -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) &+ seed }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return bytes
    }

    func testFileIsSentAgainAfterARenewal() async throws {
        let bytes = try write(1_500_000)
        let session = try await loggedIn()
        let reports = Lock<[ByteProgress]>([])
        let bodies = Lock<[[UInt8]]>([])
        server.script("/data") { request in
            bodies.withLock { $0.append(request.body) }
            return nil
        }
        server.expire()
        let response = try await session.send(.upload(path)) { report in
            reports.withLock { $0.append(report) }
        }
        XCTAssertEqual(response.value.user, "alice")
        XCTAssertEqual(bodies.withLock { $0 }, [bytes, bytes])
        let seen = reports.withLock { $0 }
        XCTAssertEqual(seen.first, ByteProgress(completed: 0, total: 1_500_000, attempt: 1))
        XCTAssertEqual(seen.last, ByteProgress(completed: 1_500_000, total: 1_500_000, attempt: 2))
        XCTAssertTrue(seen.contains(ByteProgress(completed: 0, total: 1_500_000, attempt: 2)))
        for attempt in 1...2 {
            let counts = seen.filter { $0.attempt == attempt }.map(\.completed)
            XCTAssertEqual(counts, counts.sorted())
        }
    }

    func testFileIsSentAgainAfterARedirectThatKeepsTheMethod() async throws {
        let bytes = try write(700_000)
        let session = try await loggedIn()
        let bodies = Lock<[[UInt8]]>([])
        server.script("/data") { _ in .redirect(to: "/data/next", status: .temporaryRedirect) }
        server.script("/data/next") { request in
            bodies.withLock { $0.append(request.body) }
            return nil
        }
        _ = try await session.send(.upload(path))
        XCTAssertEqual(bodies.withLock { $0 }, [bytes])
    }

    func testLastReportSaysWhatARefusingServerGot() async throws {
        let total: Int64 = 64 << 20
        try Data().write(to: URL(fileURLWithPath: path))
        try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: UInt64(total))
        for limit in [0, 1 << 20] {
            let refusing = try RefusingServer(after: limit)
            let session = try session("http://127.0.0.1:\(refusing.port)", transport: CurlTransport.shared)
            let reports = Lock<[ByteProgress]>([])
            let error = await failure {
                _ = try await session.send(.upload(path)) { report in reports.withLock { $0.append(report) } }
            }
            XCTAssertEqual(error?.statusCode, 413, "\(String(describing: error))")
            let count = try await refusing.byteCount()
            let seen = reports.withLock { $0.map(\.completed) }
            XCTAssertEqual(seen.first, 0)
            XCTAssertEqual(seen.last, count)
            XCTAssertEqual(seen, seen.sorted())
            XCTAssertTrue((Int64(limit)..<total).contains(count), "\(count)")
        }
    }

    /// A transport that answers after it has taken some pieces, or does not begin to read.
    private struct RefusingTransport: HTTPTransport {
        let pieceCount: Int?

        func send(
            _ request: HTTPRequest,
            body: HTTPRequestBody?,
            deadline: ContinuousClock.Instant
        ) async throws -> TransportResponse {
            if let pieceCount, case .stream(let stream, _)? = body?.content {
                var pieces = stream.makeAsyncIterator()
                for _ in 0..<pieceCount { _ = try await pieces.next() }
            }
            return TransportResponse(
                head: HTTPResponse(status: .contentTooLarge),
                body: HTTPResponseBody()
            )
        }
    }

    func testPieceThatMayNotHaveBeenSentIsNotCounted() async throws {
        _ = try write((512 << 10) * 2 + 1)
        let expected: [(Int?, Int)] = [
            (nil, 0), (0, 0), (1, 0), (2, 512 << 10), (3, 1_048_577), (4, 1_048_577),
        ]
        for (pieceCount, completed) in expected {
            let session = try session(
                "http://127.0.0.1:1",
                transport: RefusingTransport(pieceCount: pieceCount)
            )
            let last = Lock<ByteProgress?>(nil)
            let error = await failure {
                _ = try await session.send(.upload(path)) { report in last.withLock { $0 = report } }
            }
            XCTAssertEqual(error?.statusCode, 413)
            XCTAssertEqual(last.withLock { $0?.completed }, Int64(completed), String(describing: pieceCount))
        }
    }

    func testFileThatHasChangedIsNotSentAgain() async throws {
        let session = try await loggedIn()
        let path = path
        for change in [
            { try? FileManager.default.removeItem(atPath: path) },
            { try? Data(count: 600_001).write(to: URL(fileURLWithPath: path)) },
            { try? Data(count: 600_000).write(to: URL(fileURLWithPath: path)) },
            {
                try? FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1)],
                    ofItemAtPath: path
                )
            },
        ] as [@Sendable () -> Void] {
            _ = try write(600_000)
            server.script("/data") { _ in
                change()
                return nil
            }
            server.expire()
            let error = await failure { _ = try await session.send(.upload(path)) }
            XCTAssertEqual(error, .localFile, "\(String(describing: error))")
        }
    }

    func testOnlyOrdinaryFilesAreSent() async throws {
        let session = try await loggedIn()
        for path in [folder, folder + "/none", "/dev/zero", "", folder + "/a\0b"] {
            let error = await failure { _ = try await session.send(.upload(path)) }
            XCTAssertEqual(error, .localFile, path)
        }
        XCTAssertEqual(server.dataTries, 0)
        _ = try write(0)
        _ = try await session.send(.upload(path))
    }

    /// A file that grows or shrinks while it is sent over a connection.
    func testDeclaredLengthIsKept() async throws {
        let hostile = try HostileServer()
        let bytes = try write(3 << 20)
        let session = try session("http://127.0.0.1:\(hostile.port())", transport: CurlTransport.shared)
        let endpoint = Endpoint<[UInt8]>(.put, "/echo", payload: .file(path))
        _ = try await session.send(endpoint)
        let sent = try await hostile.log()
        XCTAssertEqual(sent.last?.header("content-length"), "\(bytes.count)")
        XCTAssertEqual(
            sent.last.map { Array($0.body.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) },
            bytes
        )
        // It has changed before its first byte is read: the server gets a body that ends too early.
        let path = path
        let error = await failure {
            _ = try await session.send(endpoint) { _ in
                try? FileHandle(forWritingAtPath: path)?.truncate(atOffset: 4 << 20)
            }
        }
        XCTAssertEqual(error, .localFile, "\(String(describing: error))")
        let log = try await hostile.log()
        XCTAssertTrue(log.dropFirst(sent.count).allSatisfy { $0.body.count < bytes.count })
    }

    func testFileThatChangesWhileItIsReadNeverEnds() async throws {
        for size in [UInt64(4 << 20), 2 << 20, 3 << 20] {
            let bytes = try write(3 << 20)
            let upload = try FileUpload(path)
            XCTAssertEqual(upload.byteCount, 3 << 20)
            var read: [UInt8] = []
            var iterator = upload.stream.makeAsyncIterator()
            let error = await failure {
                while let piece = try await iterator.next() {
                    read += piece
                    guard read.count == piece.count else { continue }
                    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: self.path))
                    try file.truncate(atOffset: size)
                    // Reports the same size, and another time.
                    try file.write(contentsOf: [7])
                }
            }
            XCTAssertEqual(error, .localFile)
            XCTAssertLessThan(read.count, bytes.count, "the last bytes are held back")
            XCTAssertEqual(read[...], bytes[..<read.count])
        }
    }

    /// A total timeout is for requests without files.
    func testUploadHasNoTotalTimeout() async throws {
        _ = try write(3 << 20)
        let session = try session(
            "http://127.0.0.1:1",
            transport: ScriptedTransport { _ in .json("{}").after(.milliseconds(50)) }
        ) {
            $0.timeouts.total = .milliseconds(1)
        }
        let error = await failure { _ = try await session.send(Endpoint<Void>.get("/data")) }
        XCTAssertEqual(error, .timedOut)
        try await session.send(Endpoint<Void>(.put, "/data", payload: .file(path))).value
    }
}
