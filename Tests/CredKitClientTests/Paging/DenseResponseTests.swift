// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Responses whose values take many times their size in memory and time.
final class DenseResponseTests: SessionTestCase {
    private struct Item: Decodable, Sendable, Equatable { var id: Int }

    private static let byteCount = 16 << 20

    /// Returns JSON of the largest size: a unit as often as it fits between two texts.
    private static func json(_ start: String, _ unit: String, _ end: String) -> [UInt8] {
        let unit = Array(unit.utf8)
        var bytes = Array(start.utf8)
        bytes.reserveCapacity(byteCount)
        while bytes.count + unit.count + end.utf8.count <= byteCount { bytes += unit }
        return bytes + Array(end.utf8)
    }

    private static func page<Element: Decodable & Sendable>(
        _ bytes: [UInt8],
        of type: Element.Type,
        envelope: Envelope = .none,
        items: String? = nil,
        _ budget: DecodingBudget = DecodingBudget()
    ) throws(ClientError) -> [Element] {
        let list = PagedEndpoint<Element>(.get("/x"), paging: .link, items: items)
        return try list.contentsEndpoint().decode(
            HTTPResponse(status: .ok),
            bytes,
            defaultEnvelope: envelope,
            budget: budget
        ).value.elements
    }

    func testDensePagesAreOverTheLimit() async throws {
        for bytes in [Self.json("[", "1,", "1]"), Self.json("[", "[],", "1]")] {
            let memory = try PeakMemory()
            await assertThrows(.overLimit) { try Self.page(bytes, of: [UInt8].self) }
            await assertThrows(.overLimit) { try Self.page(bytes, of: Int.self) }
            try memory.assertGrowth(isBelow: 6 * Self.byteCount)
        }
        // One element is decoded at once.
        let nested = Self.json("[[", "1,", "1]]")
        let memory = try PeakMemory()
        await assertThrows(.overLimit) { try Self.page(nested, of: [Int].self) }
        XCTAssertEqual(try Self.page(nested, of: [UInt8].self).map(\.count), [nested.count - 2])
        try memory.assertGrowth(isBelow: 6 * Self.byteCount)
    }

    func testDenseDocumentsAreOverTheLimit() async throws {
        let object = Self.json("{", #""":1,"#, #""code":0}"#)
        let memory = try PeakMemory()
        for (bytes, endpoint) in [
            (Self.json("[", "1,", "1]"), Endpoint<[Int]>.get("/x")), (object, .get("/x")),
        ] {
            await assertThrows(.overLimit) { try endpoint.decode(HTTPResponse(status: .ok), bytes) }
        }
        // The fields of an envelope are found without a tree.
        XCTAssertEqual(Envelope.codeData.code(of: object), 0)
        let nothing = Endpoint<Void>.get("/x")
        let answer = try nothing.decode(HTTPResponse(status: .ok), object, defaultEnvelope: .codeData)
        XCTAssertEqual(answer.serverCode, 0)
        try memory.assertGrowth(isBelow: 6 * Self.byteCount)
        // Separators in texts are no values.
        let text = Self.json("[\"", #",:[{\""#, "\"]")
        let values = try Endpoint<[String]>.get("/x").decode(HTTPResponse(status: .ok), text).value
        XCTAssertEqual(values[0].utf8.count, (text.count - 4) / 6 * 5)
        // Other encodings would hide their separators.
        let wide = #"{"code":0}"#.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        await assertThrows(.malformedResponse) {
            try Endpoint<[String: Int]>.get("/x").decode(HTTPResponse(status: .ok), wide)
        }
    }

    func testLimitGrowsWithTheSize() async throws {
        let bytes = Array("[1,2,3]".utf8)
        let budget = DecodingBudget(maximumValueCount: 2)
        await assertThrows(.overLimit) { try Self.page(bytes, of: Int.self, budget) }
        await assertThrows(.overLimit) { try Self.page(bytes, of: [UInt8].self, budget) }
        await assertThrows(.overLimit) {
            try Endpoint<[Int]>.get("/x").decode(HTTPResponse(status: .ok), bytes, budget: budget)
        }
        XCTAssertEqual(DecodingBudget.responses(upTo: 16 << 20).maximumValueCount, 1 << 20)
        XCTAssertEqual(DecodingBudget.responses(upTo: 1 << 10).maximumValueCount, 1 << 20)
        XCTAssertEqual(DecodingBudget.responses(upTo: 64 << 20).maximumValueCount, 4 << 20)
    }

    func testElementsAreDecodedInParts() throws {
        let count = 20_000
        var texts = (0..<count).map { #" {"id" : \#($0)} "# }
        XCTAssertEqual(
            try Self.page(Array("[\(texts.joined(separator: ","))]".utf8), of: Item.self),
            (0..<count).map { Item(id: $0) }
        )
        texts[count - 1] = #"{"id":"hunter2"}"#
        XCTAssertThrowsError(try Self.page(Array("[\(texts.joined(separator: ","))]".utf8), of: Item.self)) {
            XCTAssertEqual("\($0)", "the response has no Int at '[\(count - 1)].id'")
            XCTAssertEqual(($0 as? ClientError)?.statusCode, 200)
        }
    }

    func testDecodingEndsAtTheDeadline() async throws {
        let late = DecodingBudget(deadline: .now)
        let many = Array("[\(String(repeating: "1,", count: 40_000))1]".utf8)
        await assertThrows(.timedOut) { try Self.page(many, of: Int.self, late) }
        await assertThrows(.timedOut) { try Self.page(many, of: [UInt8].self, late) }
        await assertThrows(.timedOut) { try Self.page(Array("[1]".utf8), of: Int.self, late) }
        await assertThrows(.timedOut) {
            try Endpoint<[Int]>.get("/x").decode(HTTPResponse(status: .ok), many, budget: late)
        }
        // One value can be as long as the response.
        for text in [
            String(repeating: "1", count: 100_000), "\"\(String(repeating: #"\u0041"#, count: 20_000))\"",
        ] {
            XCTAssertThrowsError(try JSONSlices(Array(text.utf8), late)) {
                XCTAssertEqual($0 as? ClientError, .timedOut)
            }
        }
        let envelope = Array(#"{"data":[1],"code":0}"#.utf8)
        await assertThrows(.timedOut) {
            try Endpoint<[Int]>.get("/x").decode(
                HTTPResponse(status: .ok),
                envelope,
                defaultEnvelope: .codeData,
                budget: late
            )
        }
        XCTAssertEqual(try Self.page(envelope, of: Int.self, envelope: .codeData), [1])
    }

    /// The deadline of the request counts, not only that of its body.
    func testResponseOfALateRequestHasTimedOut() async throws {
        let answer = ScriptedTransport.Answer.json(
            String(decoding: Self.json("[", "\"abcdefghijklmn\",", "\"\"]"), as: UTF8.self)
        )
        let session = try session(transport: ScriptedTransport([answer])) {
            $0.timeouts.total = .milliseconds(20)
        }
        await assertThrows(.timedOut) { try await session.value(of: Endpoint<[String]>.get("/x")) }
    }

    func testAnswersOfLoginsAreSmall() async throws {
        func padded(_ count: Int) -> ScriptedTransport.Answer {
            .json(#"{"userId": 1, "pad": ""# + String(repeating: "x", count: count) + #""}"#)
        }
        let transport = ScriptedTransport([padded(1 << 20), padded((1 << 20) - 30)])
        let session = try session(profile: .form(), transport: transport)
        let error = await assertThrows(.overLimit) {
            try await session.logIn(username: "alice", password: "zhang")
        }
        XCTAssertEqual(error?.message, "the response is larger than 1048576 bytes")
        try await session.logIn(username: "alice", password: "zhang")
        let metadata = ScriptedTransport([padded(1 << 20)])
        await assertThrows(.overLimit) {
            try await LoginProfile.oauth(issuer: "https://school.example", clientID: "a", transport: metadata)
        }
    }

    func testEnvelopeWithAFieldTwiceIsMalformed() async throws {
        let twice = Array(#"{"code":0,"data":1,"code":1}"#.utf8)
        await assertThrows(.malformedResponse) {
            try Endpoint<Int>.get("/x").decode(HTTPResponse(status: .ok), twice, defaultEnvelope: .codeData)
        }
        // Some servers begin with a byte order mark.
        let marked = Array("\u{FEFF}{\"code\":0,\"data\":1}".utf8)
        let answer = try Endpoint<Int>.get("/x").decode(
            HTTPResponse(status: .ok),
            marked,
            defaultEnvelope: .codeData
        )
        XCTAssertEqual(answer.value, 1)
    }
}
