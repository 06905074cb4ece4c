// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import HTTPTypes
import XCTest

@testable import CredKitClient

/// The rules of downloads, without I/O.
final class DownloadPlanTests: XCTestCase {
    func testContentRanges() {
        // RFC 9110 section 14.4.
        let valid: [(String, ContentRange)] = [
            ("bytes 42-1233/1234", .bytes(first: 42, last: 1233, total: 1234)),
            ("bytes 42-1233/*", .bytes(first: 42, last: 1233, total: nil)),
            ("bytes */1234", .unsatisfied(total: 1234)), ("BYTES 0-0/1", .bytes(first: 0, last: 0, total: 1)),
            (
                "bytes 9223372036854775805-9223372036854775806/9223372036854775807",
                .bytes(first: .max - 2, last: .max - 1, total: .max)
            ),
        ]
        for (text, range) in valid { XCTAssertEqual(ContentRange(text), range, text) }
        for text in [
            "", "bytes", "bytes ", "bytes 1-2", "bytes 2-1/3", "bytes 1-3/3", "bytes 1-2/", "bytes -2/3",
            "bytes 1-/3",
            "bytes */*", "bytes +1-2/3", "bytes 1-2/+3", "bytes  1-2/3", "bytes 1-2 /3", "bytes 1 - 2/3",
            "byte 1-2/3",
            "bytes=1-2/3", "bytes 1-2/3, bytes 1-2/3", "bytes 1-2/9223372036854775808", "bytes 0x1-2/3",
            "bytes 1-9223372036854775807/*", "bytes １-2/3", "bytes 00000000000000000000-2/3",
        ] { XCTAssertNil(ContentRange(text), text) }
    }

    private func head(_ status: Int = 200, _ fields: HTTPFields) -> HTTPResponse {
        HTTPResponse(status: .init(code: status), headerFields: fields)
    }

    func testValidators() {
        for tag in ["\"\"", "\"a\"", "\"!#~\""] {
            XCTAssertEqual(DownloadValidator(head(200, [.eTag: tag])), .entityTag(tag))
        }
        let long = "\"\(String(repeating: "a", count: 1023))\""
        for tag in ["W/\"a\"", "a", "\"", "\"a\"b\"", "\"a b\"", "\"é\"", "", long] {
            XCTAssertNil(DownloadValidator(head(200, [.eTag: tag])), tag)
        }
        var two = HTTPFields()
        two.append(HTTPField(name: .eTag, value: "\"a\""))
        two.append(HTTPField(name: .eTag, value: "\"b\""))
        XCTAssertNil(DownloadValidator(head(200, two)))
        let old = "Sun, 06 Nov 1994 08:49:37 GMT"
        for (date, isStrong) in [
            ("Sun, 06 Nov 1994 08:50:37 GMT", true), ("Sun, 06 Nov 1994 08:50:36 GMT", false),
            ("Sunday, 06-Nov-94 08:55:37 GMT", false), ("06 Nov 1995 08:49:37 GMT", false), (old, false),
        ] {
            let validator = DownloadValidator(head(200, [.lastModified: old, .date: date]))
            XCTAssertEqual(validator, isStrong ? .modified(old) : nil, date)
        }
        for other: HTTPFields in [[.eTag: "W/\"a\""], [.eTag: ""], [.contentEncoding: "gzip"]] {
            var fields = other
            (fields[.lastModified], fields[.date]) = (old, "Sun, 06 Nov 1994 08:50:37 GMT")
            XCTAssertNil(DownloadValidator(head(200, fields)), "\(other)")
        }
    }

    func testDateIsThatOfAllEncodings() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let part = DownloadPlan.Part(byteCount: 5, validator: .modified(date), total: nil)
        var fields: HTTPFields = [.contentRange: "bytes 5-9/10", .lastModified: date]
        XCTAssertEqual(DownloadPlan(part).judge(head(206, fields)), .go(from: 5, to: 10, total: 10))
        fields[.contentEncoding] = "gzip"
        XCTAssertEqual(DownloadPlan(part).judge(head(206, fields)), .askForWhole)
    }

    func testRequests() {
        func request(_ byteCount: Int64, _ total: Int64?, last: Bool = false) -> String? {
            let part = DownloadPlan.Part(byteCount: byteCount, validator: .entityTag("\"a\""), total: total)
            var fields = HTTPFields()
            DownloadPlan(part, asksForLastByte: last).fill(&fields)
            XCTAssertEqual(fields[.ifRange], fields[.range] == nil ? nil : "\"a\"")
            return fields[.range]
        }
        XCTAssertEqual(request(5, 10), "bytes=5-")
        XCTAssertEqual(request(5, nil), "bytes=5-")
        XCTAssertEqual(request(10, 10), "bytes=9-", "there is nothing behind the end, so its last byte")
        XCTAssertEqual(request(5, nil, last: true), "bytes=4-")
        XCTAssertNil(request(0, 10))
        XCTAssertNil(request(11, 10))
    }

    func testEndOfAFileOfUnknownSize() {
        let part = DownloadPlan.Part(byteCount: 10, validator: .entityTag("\"a\""), total: nil)
        func verdict(_ fields: HTTPFields, last: Bool = false) -> DownloadPlan.Verdict {
            DownloadPlan(part, asksForLastByte: last).judge(head(416, fields))
        }
        XCTAssertEqual(verdict([.contentRange: "bytes */10", .eTag: "\"a\""]), .done)
        XCTAssertEqual(verdict([.contentRange: "bytes */10", .eTag: "\"b\""]), .askForWhole)
        XCTAssertEqual(verdict([.contentRange: "bytes */10", .eTag: "W/\"a\""]), .askForWhole)
        XCTAssertEqual(verdict([.contentRange: "bytes */10"]), .askForLastByte)
        XCTAssertEqual(verdict([.contentRange: "bytes */10"], last: true), .askForWhole)
        XCTAssertEqual(verdict([.contentRange: "bytes */11", .eTag: "\"a\""]), .askForWhole)
        XCTAssertEqual(verdict([.contentRange: "bytes 0-9/10", .eTag: "\"a\""]), .askForWhole)
        // Apache httpd does not say the size.
        XCTAssertEqual(verdict([:]), .askForLastByte)
        XCTAssertEqual(verdict([.eTag: "\"a\""]), .askForLastByte)
        XCTAssertEqual(verdict([.eTag: "\"b\""]), .askForWhole)
        XCTAssertEqual(verdict([:], last: true), .askForWhole)
        XCTAssertEqual(DownloadPlan(nil).judge(head(416, [:])), .fail(.unexpectedStatus))
    }

    func testNotesAreReadBackAndNothingElse() throws {
        let owner = DownloadNote.owner(["http://a/?token=secret", "user alice"], salt: "00ff")
        for validator in [DownloadValidator.entityTag("\"a\""), .modified("Sun, 06 Nov 1994 08:49:37 GMT")] {
            for total in [nil, 0, Int64.max] {
                var note = DownloadNote(owner: owner, validator: validator, total: total, boot: "b")
                note.durableByteCount = 7
                XCTAssertEqual(DownloadNote(note.bytes), note)
                for end in note.bytes.indices {
                    XCTAssertNil(DownloadNote(Array(note.bytes[..<end])), "torn at \(end)")
                }
                XCTAssertFalse(String(decoding: note.bytes, as: UTF8.self).contains("secret"))
            }
        }
        let note = try XCTUnwrap(
            DownloadNote(
                DownloadNote(owner: owner, validator: .entityTag("\"a\""), total: 1, boot: nil).bytes
            )
        )
        XCTAssertTrue(note.belongs(to: ["http://a/?token=secret", "user alice"]))
        XCTAssertFalse(note.belongs(to: ["http://a/?token=secret", "user bob"]))
        XCTAssertFalse(note.belongs(to: ["http://a/?token=secretuser ", "alice"]))
        for change in [
            ("\"a\"", "W/\"a\""), ("total 1", "total -1"), ("durable 0", "durable x"), ("end\n", "end\n\n"),
        ] {
            let text = String(decoding: note.bytes, as: UTF8.self)
            let changed = text.replacing(change.0, with: change.1)
            XCTAssertNotEqual(text, changed)
            XCTAssertNil(DownloadNote(Array(changed.utf8)), changed)
        }
    }

    func testLastStateOfEachAttemptIsReported() {
        let reports = Lock<[ByteProgress]>([])
        let reporter = ProgressReporter { report in reports.withLock { $0.append(report) } }
        reporter.begin(of: 100)
        reporter.advance(to: 50)
        reporter.begin(of: 100, counter: { _ in 70 })
        reporter.begin(of: 100)
        reporter.finish()
        XCTAssertEqual(
            reports.withLock { $0.map { [$0.completed, Int64($0.attempt)] } },
            [[0, 1], [50, 1], [0, 2], [70, 2], [0, 3]]
        )
    }

    func testProgressIsReportedTenTimesASecond() {
        let reports = Lock<[ByteProgress]>([])
        let time = Lock(ContinuousClock.now)
        let reporter = ProgressReporter(now: { time.withLock { $0 } }) { report in
            reports.withLock { $0.append(report) }
        }
        for attempt in 1...2 {
            reporter.begin(at: 5, of: 1005)
            for step in 1...1000 {
                time.withLock { $0 = $0.advanced(by: .milliseconds(1)) }
                reporter.advance(to: Int64(5 + step))
                reporter.advance(to: 3)
            }
            let seen = reports.withLock { reports in
                defer { reports = [] }
                return reports
            }
            XCTAssertEqual(
                seen.map(\.completed),
                [5] + stride(from: 105, through: 1005, by: 100).map(Int64.init)
            )
            XCTAssertTrue(seen.allSatisfy { $0.attempt == attempt && $0.total == 1005 })
        }
        reporter.advance(to: 2000)
        reporter.advance(to: 2001, attempt: 1)
        for _ in 0..<2 {
            reporter.finish()
            XCTAssertEqual(
                reports.withLock { $0.map(\.completed) },
                [2000],
                "the last state is always reported"
            )
        }
        reporter.advance(to: 3000)
        reporter.begin(of: 1)
        XCTAssertEqual(reports.withLock { $0.count }, 1, "and nothing after it")
        XCTAssertNil(ByteProgress(completed: 1, total: nil).fraction)
        XCTAssertEqual(ByteProgress(completed: 0, total: 0).fraction, 1)
        XCTAssertEqual(ByteProgress(completed: 1, total: 4).fraction, 0.25)
    }
}
