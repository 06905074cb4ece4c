// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

private struct Student: Decodable, Sendable, Equatable {
    var id: Int
    var name: String?
}

extension Endpoint<[Student]> {
    fileprivate static func students(classID: Int) -> Self {
        .get("/studentList", query: ["id": "\(classID)"])
    }
}

final class EnvelopeTests: XCTestCase {
    private func decode<Body>(
        _ text: String,
        as endpoint: Endpoint<Body>,
        _ envelope: Envelope,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws(ClientError) -> Endpoint<Body>.Response {
        try endpoint.decode(
            HTTPResponse(status: status, headerFields: headers),
            Array(text.utf8),
            defaultEnvelope: envelope,
            tokenField: HTTPField.Name("x-auth-token")
        )
    }

    private func assert(
        _ text: String,
        as endpoint: Endpoint<some Sendable>,
        _ envelope: Envelope,
        throws expected: ClientError,
        saying words: String = "",
        status: HTTPResponse.Status = .ok,
        line: UInt = #line
    ) {
        XCTAssertThrowsError(try decode(text, as: endpoint, envelope, status: status), line: line) { error in
            XCTAssertEqual(error as? ClientError, expected, "\(error)", line: line)
            XCTAssertTrue(words.isEmpty || "\(error)".contains(words), "\(error)", line: line)
        }
    }

    private let students = Endpoint<[Student]>.students(classID: 666)

    func testEnvelopesOfTheArticleAreUnwrapped() throws {
        struct Page: Decodable, Sendable { var data: [Student] }
        let page = try decode(
            #"{"h":{"code":200,"msg":"fine","time":"2016-08-17 10:00:01"},"b":{"data":[{"id":7,"name":null}],"dataTotal":31}}"#,
            as: Endpoint<Page>.get("/x"),
            .headBody,
            headers: [HTTPField.Name("X-Auth-Token")!: "secret-token", .setCookie: "secret=1", .server: "x"]
        )
        XCTAssertEqual(page.head.headerFields, [.server: "x"])
        XCTAssertEqual(page.rawBody.count, 111)
        XCTAssertEqual(page.rawBody.prefix(5), Array(#"{"h":"#.utf8)[...])
        XCTAssertFalse(String(reflecting: page).contains("secret"))
        XCTAssertEqual(page.value.data, [Student(id: 7, name: nil)])
        XCTAssertEqual(page.total, 31)
        XCTAssertEqual(page.serverCode, 200)
        XCTAssertEqual(page.head.status.code, 200)
        XCTAssertEqual(page.serverMessage, "fine")
        XCTAssertEqual(page.serverTime, "2016-08-17 10:00:01")
        XCTAssertEqual(page.token, try SecretBytes("secret-token"))
        XCTAssertEqual("\(try XCTUnwrap(page.token))", "‹redacted›")
        let list = try decode(
            #"{"code":"0","msg":null,"data":[{"id":7,"name":"Zhang"}]}"#,
            as: students,
            .codeData
        )
        XCTAssertEqual(list.value, [Student(id: 7, name: "Zhang")])
        XCTAssertEqual(list.serverMessage, "")
        XCTAssertNil(list.serverTime)
        XCTAssertNil(list.total)
        XCTAssertNil(list.token)
        let bare = try decode(#"[{"id":1}]"#, as: students, .none)
        XCTAssertEqual(bare.value, [Student(id: 1)])
        XCTAssertNil(bare.serverCode)
    }

    func testNullIsTreatedAsMissing() throws {
        for text in [
            #"{"h":{"code":200,"msg":null,"time":null},"b":null}"#, #"{"h":{"code":200},"b":null}"#,
            #"{"h":{"code":"200"}}"#,
        ] {
            let response = try decode(text, as: Endpoint<Student?>.get("/x"), .headBody)
            XCTAssertNil(response.value)
            XCTAssertEqual(response.serverMessage, "")
            XCTAssertNil(response.serverTime)
            XCTAssertNil(response.total)
            assert(
                text,
                as: Endpoint<Student>.get("/x"),
                .headBody,
                throws: .malformedResponse,
                saying: "'b'"
            )
            XCTAssertNoThrow(try decode(text, as: Endpoint<Void>.get("/x"), .headBody))
        }
        for text in [#"{"h":{"code":null}}"#, #"{"h":null}"#, "{}", #"{"h":3,"b":1}"#, #"{"h":[],"b":1}"#] {
            assert(
                text,
                as: Endpoint<Student?>.get("/x"),
                .headBody,
                throws: .malformedResponse,
                saying: "h.code"
            )
            XCTAssertNil(Envelope.headBody.code(of: Array(text.utf8)))
        }
        XCTAssertNil(try decode("null", as: Endpoint<Student?>.get("/x"), .none).value)
        XCTAssertNil(try decode("", as: Endpoint<Student?>.get("/x"), .none, status: .noContent).value)
        assert("", as: Endpoint<Student>.get("/x"), .none, throws: .malformedResponse, saying: "empty")
        XCTAssertNoThrow(try decode("", as: Endpoint<Void>.get("/x"), .headBody, status: .noContent))
    }

    func testFailureCodeThrowsTheServersMessage() throws {
        for (text, envelope, code) in [
            (#"{"h":{"code":405,"msg":"not today"},"b":{"wrong":1}}"#, Envelope.headBody, 405),
            (#"{"code":"-3","msg":"not today","data":[]}"#, .codeData, -3),
        ] {
            for status in [HTTPResponse.Status.ok, .unauthorized, .internalServerError] {
                XCTAssertThrowsError(
                    try decode(text, as: Endpoint<Student>.get("/x"), envelope, status: status)
                ) {
                    let error = $0 as? ClientError
                    XCTAssertEqual(error, .serverError)
                    XCTAssertEqual(error?.serverCode, code)
                    XCTAssertEqual(error?.statusCode, status.code)
                    XCTAssertEqual(error?.serverMessage, "not today")
                    XCTAssertEqual(error?.message, "the server refused the request with code \(code)")
                    XCTAssertTrue("\($0)".contains("not today"))
                }
            }
            XCTAssertEqual(envelope.code(of: Array(text.utf8)), code)
        }
        // Terminal control characters and overlong text are removed.
        let escape = #"{"code":1,"msg":"a\u001b[2Jb\n\u202e"}"#
        XCTAssertThrowsError(try decode(escape, as: students, .codeData)) {
            XCTAssertFalse("\($0)".unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E })
        }
        let long = #"{"code":1,"msg":""# + String(repeating: "x", count: 100_000) + #""}"#
        XCTAssertThrowsError(try decode(long, as: students, .codeData)) {
            XCTAssertLessThan("\($0)".count, 300)
        }
    }

    func testFailureStatusIsInTheError() {
        for (text, envelope) in [
            ("", Envelope.none), ("<html>", .headBody), (#"{"h":{"code":200},"b":[]}"#, .headBody),
        ] {
            XCTAssertThrowsError(
                try decode(
                    text,
                    as: students,
                    envelope,
                    status: .serviceUnavailable,
                    headers: [.retryAfter: "17"]
                )
            ) {
                let error = $0 as? ClientError
                XCTAssertEqual(error, .unexpectedStatus)
                XCTAssertEqual(error?.statusCode, 503)
                XCTAssertEqual(error?.retryAfter, .seconds(17))
            }
        }
    }

    func testErrorsNameTheCodingPathAndNeverTheData() {
        let cases: [(String, Envelope, String)] = [
            (#"{"code":0,"data":[{"id":1},{"id":"hunter2"}]}"#, .codeData, "'data.[1].id'"),
            (#"{"code":0,"data":[{"nam":"hunter2"}]}"#, .codeData, "'data.[0].id'"),
            (#"{"code":0,"data":{"hunter2":1}}"#, .codeData, "'data'"),
            (#"{"code":"hunter2"}"#, .codeData, "'code'"),
            (#"{"code":99999999999999999999}"#, .codeData, "'code'"), (#"{"code":1.5}"#, .codeData, "'code'"),
            (#"{"code":"+0"}"#, .codeData, "'code'"), (#"{"code":true}"#, .codeData, "'code'"),
            (#"{"code":0,"msg":{"hunter2":1}}"#, .codeData, "'msg'"),
            (#"["hunter2"]"#, .codeData, "the top level"),
            (#""hunter2""#, .none, "the top level"), ("hunter2", .none, "not JSON"),
            (#"{"code":0,"data":[hunter2]}"#, .codeData, "not JSON"),
            ("", .codeData, "not JSON"),
        ]
        for (text, envelope, words) in cases {
            assert(text, as: students, envelope, throws: .malformedResponse, saying: words)
            XCTAssertThrowsError(try decode(text, as: students, envelope)) {
                XCTAssertFalse("\($0)".contains("hunter2"), "\($0)")
                XCTAssertFalse(String(reflecting: $0).contains("hunter2"), "\($0)")
            }
        }
    }

    func testValuesRefusedByATypeAreNotInErrors() {
        enum Grade: String, Decodable, Sendable { case good }
        struct Report: Decodable, Sendable {
            var grade: Grade?
            var small: UInt8?
        }
        for (text, place) in [
            (#"{"grade":"hunter2"}"#, "'grade'"), (#"{"small":9876543210}"#, "a number that is out of range"),
        ] {
            let endpoint = Endpoint<Report>.get("/x")
            assert(text, as: endpoint, .none, throws: .malformedResponse, saying: place)
            XCTAssertThrowsError(try decode(text, as: endpoint, .none)) {
                XCTAssertFalse("\($0)".contains("hunter2") || "\($0)".contains("98765"), "\($0)")
            }
        }
    }

    func testDeepNestingIsRefused() {
        indirect enum Nest: Decodable, Sendable {
            case list([Nest])
            init(from decoder: any Decoder) throws { self = .list(try [Nest](from: decoder)) }
        }
        let open = String(repeating: "[", count: 100_000)
        for text in [
            open, open + String(repeating: "]", count: 100_000), #"{"code":0,"data":"# + open,
            String(repeating: #"{"a":"#, count: 100_000),
        ] {
            assert(text, as: Endpoint<Nest>.get("/x"), .none, throws: .malformedResponse)
            assert(text, as: Endpoint<Nest>.get("/x"), .codeData, throws: .malformedResponse)
            assert(text, as: Endpoint<Void>.get("/x"), .codeData, throws: .malformedResponse)
            XCTAssertNil(Envelope.codeData.code(of: Array(text.utf8)))
        }
    }

    func testRawBytesAreReturnedUnchanged() throws {
        let text = #"{"code":3}"#
        XCTAssertEqual(try decode(text, as: Endpoint<[UInt8]>.get("/x"), .codeData).value, Array(text.utf8))
        assert(
            text,
            as: Endpoint<[UInt8]>.get("/x").setting(\.envelope, to: .codeData),
            .none,
            throws: .serverError
        )
        assert(text, as: Endpoint<[UInt8]>.get("/x"), .none, throws: .unexpectedStatus, status: .notFound)
    }

    func testCustomEnvelopeIsUnwrappedAndRoundTripsAsJSON() throws {
        let envelope = Envelope(code: "s.n", message: "s.t", body: nil, total: "count", successCodes: [1, 2])
        let response = try decode(
            #"{"s":{"n":2,"t":"ok"},"id":5,"count":"12"}"#,
            as: Endpoint<Student>.get("/x"),
            envelope
        )
        XCTAssertEqual(response.value, Student(id: 5))
        XCTAssertEqual(response.total, 12)
        for envelope in [envelope, .none, .headBody, .codeData] {
            let kept = try JSONDecoder().decode(Envelope.self, from: JSONEncoder().encode(envelope))
            XCTAssertEqual(kept, envelope)
        }
    }
}
