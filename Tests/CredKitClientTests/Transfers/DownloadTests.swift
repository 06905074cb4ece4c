// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// Downloads from a server that cuts, changes and misnames its file. What is there in the end is one version of it.
final class DownloadTests: TransferTestCase {
    private var server: DownloadServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try DownloadServer()
    }

    override func tearDown() {
        server = nil
        super.tearDown()
    }

    private static let isDeep = TestForm.isDeep

    func testDownloadThatIsCutAtManyPointsIsContinued() async throws {
        let (size, cuts) = Self.isDeep ? (512 << 20, 50) : (16 << 20, 8)
        let points = (0..<cuts).map { _ in Int.random(in: 1..<size) }.sorted()
        try await server.plan(
            [#"{"size": \#(size), "cut": \#(points[0])}"#] + points.dropFirst().map { #"{"cut": \#($0)}"# }
        )
        let session = try session(server.url)
        let memory = try PeakMemory()
        var result: DownloadedFile?
        for _ in 0...cuts where result == nil {
            do throws(ClientError) {
                result = try await session.download(.file, to: path, options: .resume)
            } catch {
                XCTAssertEqual(error, .noResponse, "\(error)")
            }
        }
        try memory.assertGrowth(isBelow: 64 << 20)
        XCTAssertEqual(result?.byteCount, Int64(size))
        XCTAssertGreaterThan(result?.resumedByteCount ?? 0, 0)
        let seen = try await server.seen()
        XCTAssertEqual(seen.count, Set(points).count + 1, "\(points)")
        XCTAssertTrue(seen.dropFirst().allSatisfy { $0[1] == "\"v1-\(size)\"" }, "\(seen)")
        let expected = try await server.digest()
        XCTAssertEqual(try digest(path), expected)
        XCTAssertEqual(names, ["target"])
    }

    /// Cuts a download, and continues it with a response that is not its rest.
    private func continued(
        _ second: String,
        _ first: String = #"{"cut": 700000}"#,
        third: String = "{}",
        line: UInt = #line
    ) async throws -> Result<DownloadedFile, ClientError> {
        try? FileManager.default.removeItem(atPath: path)
        try await server.plan(#"{"version": 1, "size": 1048576, "cut": 0}"#, first, second, third)
        let session = try session(server.url)
        for _ in 0..<2 {
            let error = await failure { try await session.download(.file, to: self.path, options: .resume) }
            XCTAssertEqual(error, .noResponse, line: line)
        }
        do throws(ClientError) {
            let file = try await session.download(.file, to: path, options: .resume)
            let expected = try? await server.digest()
            XCTAssertEqual(try? digest(path), expected, "spliced", line: line)
            return .success(file)
        } catch {
            XCTAssertFalse(names.contains("target"), line: line)
            return .failure(error)
        }
    }

    func testRestIsAsked() async throws {
        let file = try await continued("{}").get()
        XCTAssertEqual(file.resumedByteCount, 700_000)
        let seen = try await server.seen()
        XCTAssertEqual(seen.last, ["bytes=700000-", "\"v1-1048576\""])
    }

    func testChangedFileIsFetchedAnew() async throws {
        for change in [
            #"{"version": 2}"#, #"{"version": 2, "ignoreRange": true}"#, #"{"size": 2097152}"#,
            #"{"size": 500000}"#, #"{"version": 2, "chunked": true}"#,
        ] {
            let file = try await continued(change).get()
            XCTAssertEqual(file.resumedByteCount, 0, change)
        }
    }

    func testPartThatIsNotTheRestIsNeverAppended() async throws {
        for wrong in [
            #"{"shift": 1}"#, #"{"shift": -1}"#, #"{"shift": -700000}"#,
            #"{"headers": {"Content-Range": "bytes 700000-1048575/1048577"}}"#,
            #"{"headers": {"Content-Range": "bytes 700000-1048575/*"}}"#,
            #"{"headers": {"Content-Range": "bytes 700000-1048574/1048576"}}"#,
            #"{"headers": {"Content-Range": "bytes=700000-1048575/1048576"}}"#,
            #"{"headers": {"Content-Range": null}}"#,
            #"{"headers": {"Content-Type": "multipart/byteranges; boundary=x", "Content-Range": null}}"#,
            #"{"status": 200}"#, #"{"version": 2, "ignoreIfRange": true}"#,
            // It does not say of which version it is.
            #"{"version": 2, "ignoreIfRange": true, "headers": {"ETag": null, "Last-Modified": null}}"#,
        ] {
            let file = try await continued(wrong).get()
            XCTAssertEqual(file.resumedByteCount, 0, wrong)
            let seen = try await server.seen()
            XCTAssertEqual(seen.last, [nil, nil], "the whole file is asked for: \(wrong)")
        }
        // The same again: it does not go on for ever.
        let range = #"{"headers": {"Content-Range": "bytes 0-1048575/1048576"}}"#
        let error = try await continued(#"{"status": 200}"#, third: range).failure
        XCTAssertEqual(error, .malformedResponse)
        let seen = try await server.seen()
        XCTAssertEqual(seen.count, 4)
    }

    func testShortPartsAreContinued() async throws {
        let file = try await continued(#"{"short": 1000}"#, third: #"{"short": 100000}"#).get()
        XCTAssertEqual(file.resumedByteCount, 700_000)
        let seen = try await server.seen()
        XCTAssertEqual(
            seen.suffix(3).map { $0[0] },
            ["bytes=700000-", "bytes=701000-", "bytes=801000-"]
        )
        try await server.plan(["{\"cut\": 1}"] + Array(repeating: #"{"short": 1}"#, count: 200))
        let session = try session(server.url)
        try FileManager.default.removeItem(atPath: path)
        for expected in [ClientError.noResponse, .malformedResponse] {
            let error = await failure { try await session.download(.file, to: self.path, options: .resume) }
            XCTAssertEqual(error, expected, "\(String(describing: error))")
        }
    }

    /// After a power failure, a file can have its size without its bytes.
    func testOnlyBytesThatWereOnTheDiskAreContinuedAfterANewStart() async throws {
        let session = try session(server.url)
        try await server.plan(#"{"cut": 700000}"#)
        _ = await failure { try await session.download(.file, to: self.path, options: .resume) }
        let note = try String(contentsOfFile: path + ".credkit-note", encoding: .utf8)
        XCTAssertTrue(note.contains("\ndurable 700000\n"), note)
        let boot = try XCTUnwrap(BootIdentifier.current)
        try note.replacing(boot, with: "another").replacing("durable 700000", with: "durable 5000").write(
            toFile: path + ".credkit-note",
            atomically: true,
            encoding: .utf8
        )
        let part = try XCTUnwrap(FileHandle(forWritingAtPath: path + ".credkit-part"))
        try part.seek(toOffset: 5000)
        try part.write(contentsOf: Data(count: 695_000))
        let file = try await session.download(.file, to: path, options: .resume)
        XCTAssertEqual(file.resumedByteCount, 5000)
        let expected = try await server.digest()
        XCTAssertEqual(try digest(path), expected)
    }

    func testWrongLengthsAreFound() async throws {
        let session = try session(server.url)
        for (wrong, expected) in [
            (#"{"headers": {"Content-Length": "1048577"}, "cut": 1048575}"#, ClientError.noResponse),
            (#"{"chunked": true, "cut": 1000}"#, .noResponse), (#"{"extra": 1, "cut": 5}"#, .noResponse),
        ] {
            try await server.plan(wrong)
            let error = await failure { try await session.download(.file, to: self.path) }
            XCTAssertEqual(error, expected, wrong)
            XCTAssertEqual(names, [], wrong)
        }
    }

    func testPartWithoutAStrongValidatorIsNotContinued() async throws {
        for (fields, expected) in [
            (#"{"ETag": "W/\"v1\"", "Last-Modified": null}"#, [nil, nil] as [String?]),
            (#"{"ETag": null, "Date": "Sun, 06 Nov 1994 08:50:36 GMT"}"#, [nil, nil]),
            (#"{"ETag": null, "Date": null}"#, [nil, nil]),
            (
                #"{"ETag": null, "Date": "Sun, 06 Nov 1994 08:50:37 GMT"}"#,
                ["bytes=700000-", "Sun, 06 Nov 1994 08:49:37 GMT"]
            ), (#"{"ETag": "W/\"v1\""}"#, [nil, nil]),
        ] {
            let step = #"{"headers": \#(fields)"#
            let file = try await continued(step + "}", step + #", "cut": 700000}"#).get()
            XCTAssertEqual(file.resumedByteCount, expected[0] == nil ? 0 : 700_000, fields)
            let seen = try await server.seen()
            XCTAssertEqual(seen.last, expected, fields)
        }
    }

    func testCompletePartIsFinished() async throws {
        // The connection ends in the last chunk, after all bytes.
        let whole = #"{"chunked": true, "size": 700000, "cut": 699999}"#
        for answer in ["{}", #"{"headers": {"ETag": null}}"#] {
            let file = try await continued(answer, whole).get()
            XCTAssertEqual(file.byteCount, 700_000)
        }
        let changed = try await continued(#"{"size": 1048576, "version": 2}"#, whole).get()
        XCTAssertEqual(changed.resumedByteCount, 0)
    }

    func testNothingButAFileIsWritten() async throws {
        let page = #"{"content": "<html>log in</html>", "headers": {"Content-Type": "text/html"}"#
        for (answer, expected) in [
            (page + #", "status": 404}"#, ClientError.unexpectedStatus),
            (page + #", "status": 401}"#, .unexpectedStatus),
            (page + #", "status": 203}"#, .unexpectedStatus),
            (#"{"status": 204, "content": ""}"#, .unexpectedStatus),
            (page + #", "status": 206}"#, .malformedResponse),
            (
                #"{"content": "{\"code\": 7, \"msg\": \"no\"}", "headers": {"Content-Type": "application/json"}}"#,
                .serverError
            ),
        ] {
            try "old".write(toFile: path, atomically: false, encoding: .utf8)
            let session = try session(server.url) { $0.envelope = .codeData }
            try await server.plan(answer)
            let error = await failure { try await session.download(.file, to: self.path) }
            XCTAssertEqual(error, expected, answer)
            XCTAssertEqual(names, ["target"])
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "old")
        }
    }

    /// The digests are from the examples of RFC 9530, appendix D.
    func testDigestsAreChecked() async throws {
        let digests = [
            "sha-256": "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=",
            "sha-512":
                "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==",
        ]
        let session = try session(server.url)
        for (name, digest) in digests.sorted(by: { $0.key < $1.key }) {
            for field in ["Repr-Digest", "Content-Digest"] {
                for (value, isRight) in [
                    ("\(name)=:\(digest):", true), ("md5=:AAAA:, \(name)=:\(digest):", true),
                    ("\(name)=:\(digest.replacing("y", with: "z")):", false), ("\(name)=:AAAA:", false),
                ] {
                    let headers = #"{"\#(field)": "\#(value)", "Content-Length": 19}"#
                    try await server.plan(#"{"content": "{\"hello\": \"world\"}\n", "headers": \#(headers)}"#)
                    let error = await failure {
                        let file = try await session.download(.file, to: self.path)
                        XCTAssertTrue(file.isDigestVerified)
                    }
                    XCTAssertEqual(error, isRight ? nil : .malformedResponse, "\(field): \(value)")
                    XCTAssertEqual(names, isRight ? ["target"] : [])
                    try? FileManager.default.removeItem(atPath: path)
                }
            }
        }
        // A field with two digests by the same function, or with a malformed one, is malformed as a whole.
        for field in [
            "sha-256=AAAA, unixsum=:AAAA:", "sha-256=:AAAA:, sha-256=:AAAA:", "sha-512=AAAA, sha-256=:AAAA:",
        ] {
            try await server.plan(#"{"headers": {"Repr-Digest": "\#(field)"}}"#)
            let file = try await session.download(.file, to: path)
            XCTAssertFalse(file.isDigestVerified, field)
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testDigestOfTheWholeIsCheckedAfterContinuing() async throws {
        // The server changes the file, and says nothing about that but its digest.
        let wrong =
            #"{"version": 2, "ignoreIfRange": true, "headers": {"ETag": null, "Last-Modified": null, "Repr-Digest": "sha-256=:\#(String(repeating: "A", count: 43))=:"}}"#
        let error = try await continued(wrong, #"{"cut": 700000, "headers": {"ETag": null}}"#).failure
        XCTAssertEqual(error, .malformedResponse)
        XCTAssertEqual(names, [])
    }

    func testSizeIsLimited() async throws {
        let session = try session(server.url)
        for plan in ["{}", #"{"chunked": true}"#] {
            try await server.plan(plan)
            let error = await failure {
                try await session.download(.file, to: self.path, maximumByteCount: 1_048_575)
            }
            XCTAssertEqual(error, .overLimit)
            XCTAssertEqual(names, [])
        }
        let file = try await session.download(.file, to: path, maximumByteCount: 1_048_576)
        XCTAssertEqual(file.byteCount, 1_048_576)
    }

    func testProgressOfADownloadThatIsContinued() async throws {
        try await server.plan(#"{"size": 3145728, "cut": 2000000}"#, "{}", #"{"chunked": true}"#)
        let session = try session(server.url)
        let reports = Lock<[[ByteProgress]]>([])
        for _ in 0..<3 {
            reports.withLock { $0.append([]) }
            _ = try? await session.download(.file, to: path, options: .resume) { progress in
                reports.withLock { $0[$0.count - 1].append(progress) }
            }
        }
        let all = reports.withLock { $0 }
        XCTAssertEqual(all.map { $0.first?.completed }, [0, 2_000_000, 0])
        XCTAssertEqual(all.map { $0.last?.completed }, [2_000_000, 3_145_728, 3_145_728])
        XCTAssertEqual(all.map { $0.last?.total }, [3_145_728, 3_145_728, nil])
        XCTAssertEqual(all[1].last?.fraction, 1)
        for reports in all {
            XCTAssertEqual(reports.map(\.completed), reports.map(\.completed).sorted())
            XCTAssertTrue(reports.allSatisfy { $0.attempt == 1 })
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
