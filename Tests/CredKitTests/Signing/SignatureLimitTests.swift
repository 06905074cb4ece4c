// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// Each ceiling by itself: a message at the limit is accepted, and one that exceeds it by one is refused for that reason.
final class SignatureLimitTests: XCTestCase {
    private typealias Hostile = HostileMessage

    private let method = Hostile.Line(#""@method""#, "GET")

    private func check(
        _ message: Hostile,
        exceeds reason: String?,
        line: UInt = #line
    ) throws {
        let refusal = try message.refusal()
        XCTAssertEqual(refusal?.code, reason.map { _ in .limitExceeded }, "\(refusal as Any)", line: line)
        guard let reason else { return }
        XCTAssertEqual(refusal?.message, "too long or too many: \(reason)", line: line)
    }

    private func message(components count: Int) -> Hostile {
        let names = (1..<count).map { "x\($0)" }
        var message = Hostile([method] + names.map { .init("\"\($0)\"", "v") })
        message.fields = names.map { .init($0, "v") }
        return message
    }

    func testComponents() throws {
        try check(message(components: 64), exceeds: nil)
        try check(message(components: 65), exceeds: "covered components")
        // As many as a structured field can contain, whose values need not be there.
        let many = (0..<1_000).map { Hostile.Line("\"x\($0)\"", "v") }
        try check(Hostile([method] + many), exceeds: "covered components")
        let short = [Hostile.Line](repeating: .init("\"x\"", "v"), count: 4_000)
        try check(Hostile([method] + short), exceeds: "the field 'signature-input' or its members")
        // More than any field can contain.
        try check(message(components: 10_000), exceeds: "the field 'signature-input'")
        let items = (0..<10_000).map { StructuredField.Item(.string("x\($0)")) }
        XCTAssertThrowsError(try MessageSignature.Input(StructuredField.InnerList(items))) {
            XCTAssertEqual(($0 as? MessageSignature.Error)?.code, .limitExceeded)
        }
        let components = try (0..<10_000).map { try MessageSignature.Component("x\($0)") }
        XCTAssertThrowsError(try MessageSignature.Input(components, parameters: .init())) {
            XCTAssertEqual(($0 as? MessageSignature.Error)?.code, .limitExceeded)
        }
    }

    /// The key is looked up at most once for each of 8 signatures.
    func testSignatures() throws {
        for count in [8, 9] {
            // The first ones are wrong.
            var inputs = (1..<count).map { "s\($0)=(\"@method\")\(Hostile.end)" }
            var signatures = (1..<count).map { "s\($0)=:AAAA:" }
            let honest = Hostile([method])
            inputs.append(honest.input)
            signatures.append(honest.signature)
            let message = Hostile(
                input: inputs.joined(separator: ","),
                signature: signatures.joined(separator: ",")
            )
            try check(message, exceeds: count == 8 ? nil : "signatures")
            var lookups = 0
            _ = try message.refusal { _ in lookups += 1 }
            XCTAssertEqual(lookups, count == 8 ? 8 : 0)
        }
    }

    func testFields() throws {
        let honest = Hostile([method])
        for count in [16_384, 16_385] {
            let input = honest.input + String(repeating: " ", count: count - honest.input.utf8.count)
            try check(
                Hostile(input: input, signature: honest.signature),
                exceeds: count == 16_384 ? nil : "the field 'signature-input'"
            )
            let signature =
                honest.signature + String(repeating: " ", count: count - honest.signature.utf8.count)
            try check(
                Hostile(input: honest.input, signature: signature),
                exceeds: count == 16_384 ? nil : "the field 'signature'"
            )
        }
    }

    func testTexts() throws {
        for count in [256, 257] {
            let text = String(repeating: "a", count: count)
            func reason(_ text: String) -> String? { count == 256 ? nil : text }
            try check(Hostile([method], label: text), exceeds: reason("a label"))
            var named = Hostile([method, .init("\"\(text)\"", "v")])
            named.fields.append(.init(text, "v"))
            try check(named, exceeds: reason("the name of a component"))
            var query = Hostile([method, .init("\"@query-param\";name=\"\(text)\"", "v")])
            query.query = "\(text)=v"
            try check(query, exceeds: reason("the name of a query parameter"))
            var member = Hostile([method, .init("\"x\";key=\"\(text)\"", "1")])
            member.fields = [.init("x", "\(text)=1")]
            try check(member, exceeds: reason("the key of a member"))
            try check(
                Hostile([method], "\(Hostile.end);tag=\"\(text)\""),
                exceeds: reason("the parameter 'tag'")
            )
            for (name, other) in [("nonce", #"keyid="k""#), ("keyid", #"nonce="n""#)] {
                let end = ";created=1700000000;\(other);\(name)=\"\(text)\""
                try check(Hostile([method], end), exceeds: reason("the parameter '\(name)'"))
            }
        }
    }

    /// Fields count as they were received and as they are signed, and each time that they are covered.
    func testValues() throws {
        let limit = 262_144 - "GET".utf8.count
        for (count, isLong) in [(limit / 2, false), (limit / 2 + 1, true)] {
            let value = String(repeating: "a", count: count)
            var message = Hostile([method, .init(#""x""#, value)])
            message.fields = [.init("X", value)]
            try check(message, exceeds: isLong ? "the values of components" : nil)
        }
        for (count, isLong) in [(limit / 2, false), (limit, true)] {
            var message = Hostile([
                method, .init(#""@query-param";name="a""#, String(repeating: "b", count: count - 2)),
            ])
            message.query = "a=" + String(repeating: "b", count: count - 2)
            try check(message, exceeds: isLong ? "the values of components" : nil)
        }
    }

    /// The work of a message is at most proportional to the bytes that are read and written: the same large value in every
    /// form, of every component that a signature can cover.
    func testTheBaseIsBounded() throws {
        let text = String(repeating: "a", count: 300)
        let value = (0..<58).map { "k\($0)=\"\(text)\"" }.joined(separator: ", ")
        let forms = [#""large""#, #""large";bs"#, #""@query""#]
        let keys = (0..<58).map { "\"large\";key=\"k\($0)\"" }
        let fields: [MessageSignature.Field] = [.init("Large", value)]
        var sizes: [Int] = []
        for count in [1, 2, 3, 4, 8, 12, 13, 14, 30, 60] {
            let list = "(\((forms + keys).prefix(count).joined(separator: " ")))"
            let items = try StructuredField.Dictionary(parsing: "s=\(list)")
            guard case .innerList(let inner)? = items["s"] else { return XCTFail(list) }
            let input = try MessageSignature.Input(inner)
            let request = MessageSignature.Request(
                method: "GET",
                authority: "a",
                path: "/",
                query: String(repeating: "q", count: 10_000),
                fields: fields
            )
            guard let base = try? input.signatureBase(of: .request(request)) else { continue }
            sizes.append(base.count)
            XCTAssertLessThan(base.count, MessageSignature.maximumValueByteCount + 2 * list.utf8.count + 100)
        }
        // Each key costs the whole field: 3 forms and 9 keys reach the limit.
        XCTAssertEqual(sizes.count, 6)
    }
}
