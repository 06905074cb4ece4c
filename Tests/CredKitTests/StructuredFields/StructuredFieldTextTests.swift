// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import XCTest

@testable import CredKit

/// What a parser takes from a text instead of making it anew: the canonical text of an inner list, and known items.
final class StructuredFieldTextTests: XCTestCase {
    private typealias Parser = StructuredField.Parser
    private typealias Dictionary = StructuredField.Dictionary
    private typealias InnerList = StructuredField.InnerList

    private func list(_ text: String) throws -> InnerList {
        guard case .innerList(let list)? = try Dictionary(parsing: "a=\(text)")["a"] else {
            throw StructuredField.ParsingError.invalidCharacter
        }
        return list
    }

    func testCanonicalListsKeepTheirText() throws {
        for text in [
            "()", #"("a" "b");created=1700000000;keyid="k""#, #"("x\"y\\";req;key="z" to/ken);q=5;b=?0"#,
            "(1 2 3);*",
        ] {
            XCTAssertEqual(try list(text).canonicalText.map { Array($0) }, Array(text.utf8), text)
        }
        // Neither the spaces around it nor other members belong to the list.
        let members = try Dictionary(parsing: "  z=( 1),   a=(1)\t,b=2")
        guard case .innerList(let list)? = members["a"] else { return XCTFail("a is no list") }
        XCTAssertEqual(list.canonicalText.map { Array($0) }, Array("(1)".utf8))
    }

    func testOtherListsAreSerialized() throws {
        for (text, canonical) in [
            ("( 1)", "(1)"), ("(1 )", "(1)"), ("(1  2)", "(1 2)"), ("( )", "()"), ("(1); a", "(1);a"),
            ("(1; a)", "(1;a)"), ("(1);a=?1", "(1);a"), ("(1);a=1;a=2", "(1);a=2"), ("(1;a;a)", "(1;a)"),
            ("(01)", "(1)"), ("(-0)", "(0)"), ("(-01)", "(-1)"), ("(1.50)", "(1.5)"), ("(@01)", "(@1)"),
            ("(:YQ:)", "(:YQ==:)"), (#"(%"%61")"#, #"(%"a")"#),
        ] {
            XCTAssertNil(try list(text).canonicalText, text)
            XCTAssertEqual(try list(text).serialized(), canonical, text)
        }
    }

    func testAChangedListIsSerialized() throws {
        var items = try list("(1 2);a")
        items.items.append(3)
        XCTAssertEqual(try items.serialized(), "(1 2 3);a")
        var parameters = try list("(1 2);a")
        parameters.parameters["b"] = 1
        XCTAssertEqual(try parameters.serialized(), "(1 2);a;b=1")
        var member = try XCTUnwrap(Dictionary(parsing: "a=(1 2);a")["a"])
        member.parameters["a"] = nil
        XCTAssertEqual(try member.serialized(), "(1 2)")
        XCTAssertEqual(try list("( 1)"), try list("(1)"))
        XCTAssertEqual(try list("( 1)").hashValue, try list("(1)").hashValue)
    }

    func testRandomListsKeepNoOtherText() throws {
        var generator = SeededGenerator(seed: 9421)
        var kept = 0
        for _ in 0..<40_000 {
            let text = "(\(generator.text(of: "aA01-.*;= ():?@%\"\\Y", count: 0...9))"
            guard let list = try? list(text) else { continue }
            let other = InnerList(list.items, parameters: list.parameters)
            XCTAssertEqual(try list.serialized(), try other.serialized(), text)
            kept += list.canonicalText == nil ? 0 : 1
        }
        XCTAssertGreaterThan(kept, 200)
    }

    func testKnownItemsChangeNothing() throws {
        var generator = SeededGenerator(seed: 2205)
        var taken = 0
        for known in ["()", "(1 2)", #"("a" "b";c)"#, "(1;a;a)", "( 1)", #"(")" "(")"#] {
            let items = try StructuredField.KnownItems(parsing: Array(known.utf8))
            for _ in 0..<2_000 {
                var text = Array("a=\(known);x, b=\(known)".utf8)
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    let place = text.indices.randomElement(using: &generator) ?? 0
                    text[place] = Array(#"a1 ;,()""#.utf8).randomElement(using: &generator) ?? 0
                }
                let (expected, actual) = (parsed(text, nil), parsed(text, items))
                XCTAssertEqual(actual.text, expected.text)
                XCTAssertEqual(actual.isRepeated, expected.isRepeated)
                XCTAssertEqual(actual.error, expected.error)
                XCTAssertEqual(actual.error?.offset, expected.error?.offset)
                taken += expected.error == nil ? 1 : 0
            }
        }
        XCTAssertGreaterThan(taken, 2_000)
    }

    private func parsed(
        _ text: [UInt8],
        _ known: StructuredField.KnownItems?
    ) -> (text: String?, isRepeated: Bool, error: StructuredField.ParsingError?) {
        do throws(StructuredField.ParsingError) {
            var parser = try Parser(text, expecting: known)
            let dictionary = try parser.dictionary()
            try parser.finish()
            return (try? dictionary.serialized(), parser.hasRepeatedKeys, nil)
        } catch {
            return (nil, false, error)
        }
    }

    func testKnownItemsAreOneListAlone() {
        for text in ["", "1", "(1", "(1) ", "(1);a", "(1)(2)"] {
            XCTAssertThrowsError(try StructuredField.KnownItems(parsing: Array(text.utf8)), text)
        }
    }
}
