// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// Messages that no honest signer sends. Each is signed with the right key over the base that a lenient verifier would
/// build, so that only the tested rule refuses it.
final class HostileSignatureTests: XCTestCase {
    private typealias Hostile = HostileMessage

    private let method = Hostile.Line(#""@method""#, "GET")

    private func code(_ lines: [Hostile.Line], _ parameters: String = Hostile.end) throws
        -> MessageSignature.Refusal.Code?
    { try Hostile(lines, parameters).code() }

    /// The rules below refuse variants of these.
    func testHonestMessages() throws {
        for line in [
            Hostile.Line(#""x""#, "v"), .init(#""x";bs"#, ":dg==:"), .init(#""priority";sf"#, "u=1, i"),
            .init(#""priority";key="u""#, "1"), .init(#""@query-param";name="b""#, "3"),
        ] {
            XCTAssertNil(try code([method, line]), line.identifier)
        }
        XCTAssertNil(try code([method], Hostile.end + #";expires=999999999999999;alg="hmac-sha256";tag="t""#))
    }

    func testASignatureOverNothing() throws {
        XCTAssertEqual(try code([]), .notCovered)
    }

    func testRepeatedComponents() throws {
        XCTAssertEqual(try code([method, method]), .malformed)
        let line = Hostile.Line(#""priority";key="u";sf"#, "1")
        XCTAssertEqual(try code([method, line, .init(#""priority";sf;key="u""#, "1")]), .malformed)
        XCTAssertEqual(try code([method, .init(#""priority";sf;sf"#, "u=1, i")]), .malformed)
        for value in ["1", "2", "1, 2"] {
            let line = Hostile.Line(#""@query-param";name="a""#, value)
            XCTAssertEqual(try code([method, line]), .invalidComponent)
        }
    }

    func testRepeatedParametersAndLabels() throws {
        for parameter in [#"nonce="n""#, #"keyid="k""#, "created=1700000000"] {
            XCTAssertEqual(try code([method], "\(Hostile.end);\(parameter)"), .malformed, parameter)
        }
        let honest = Hostile([method])
        for (input, signature) in [
            ("\(honest.input), \(honest.input)", honest.signature),
            (honest.input, "\(honest.signature), \(honest.signature)"),
            (honest.input, "\(honest.signature), b=:AAAA:"), ("\(honest.input), b=()", honest.signature),
            ("other\(honest.input)", honest.signature),
        ] {
            XCTAssertEqual(try Hostile(input: input, signature: signature).code(), .malformed, input)
        }
    }

    func testUnknownAndMisplacedParameters() throws {
        let values = [
            (#""@method";x"#, "GET"), (#""@method";name="a""#, "GET"), (#""@method";sf"#, "GET"),
            (#""@method";key="a""#, "GET"), (#""@method";bs"#, ":R0VU:"), (#""@path";req"#, "/"),
            (#""@query-param""#, ""), (#""@query-param";name=b"#, "3"), (#""@query-param";name"#, ""),
            (#""@query-param";name="b";x"#, "3"), (#""@unknown""#, ""), (#""@""#, ""),
            (#""@signature-params""#, ""), (#""@request-response";key="a""#, ""), (#""@status""#, "200"),
            (#""@status";req"#, "200"), (#""x";tr"#, "v"), (#""x";sf"#, "v"), (#""x";sf=?0"#, "v"),
            (#""x";req=1"#, "v"), (#""x";req"#, "v"), (#""x";bs=?0"#, "v"),
            (#""priority";bs;sf"#, ":dT0xLCAgIGk=:"),
            (#""priority";bs;key="u""#, ":dT0xLCAgIGk=:"), (#""priority";key=u"#, "1"),
            (#""priority";key"#, "1"),
            (#""X""#, "v"), (#""x y""#, "v"), (#""x:""#, "v"), (#""x";unknown"#, "v"), (#""""#, ""),
        ]
        for (identifier, value) in values {
            XCTAssertEqual(
                try code([method, .init(identifier, value)]),
                .invalidComponent,
                identifier
            )
        }
        for identifier in ["x", "1", ":YQ==:", "?1", "@1", "1.5"] {
            XCTAssertEqual(try code([method, .init(identifier, "v")]), .malformed, identifier)
        }
    }

    func testParametersOfTheSignature() throws {
        let parameters = [
            ";unknown", #";unknown="a""#, ";expires=1800000000.0", #";expires="1800000000""#,
            ";expires=@1800000000", ";expires=-1", ";expires=?1", ";expires", ";expires=1800000000000000",
            ";expires=9999999999999999", ";alg=hmac-sha256", ";tag", ";tag=t", ";tag=:dA==:",
        ]
        for parameter in parameters {
            XCTAssertEqual(try code([method], Hostile.end + parameter), .malformed, parameter)
        }
        let ends = [
            #";created;keyid="k";nonce="n""#, #";created=1700000000.0;keyid="k";nonce="n""#,
            #";created="1700000000";keyid="k";nonce="n""#, #";created=@1700000000;keyid="k";nonce="n""#,
            #";created=1700000000000000;keyid="k";nonce="n""#, #";created=1700000000;keyid=k;nonce="n""#,
            #";created=1700000000;keyid="k";nonce=n"#, #";created=-1;keyid="k";nonce="n""#,
            #";created=1700000000;keyid=:aw==:;nonce="n""#,
        ]
        for end in ends { XCTAssertEqual(try code([method], end), .malformed, end) }
        for end in [#";keyid="k";nonce="n""#, #";created=1700000000;nonce="n""#] {
            XCTAssertEqual(try code([method], end), .missingParameter, end)
        }
        XCTAssertEqual(try code([method], Hostile.end + #";alg="ed25519""#), .wrongAlgorithm)
    }

    /// What cannot be parsed has no base: these fields surround those of an honest message.
    func testMalformedFields() throws {
        let honest = Hostile([method])
        let inputs = [
            "sig", "sig=1", "sig=\"@method\"", "sig=(\"@method\"", "\(honest.input),", "(\"@method\")", "=",
            "S\(honest.input)", "sig=(\"@method\"\"@path\")", "\u{0}", "\(honest.input) x",
            ",\(honest.input)",
        ]
        for input in inputs {
            XCTAssertEqual(
                try Hostile(input: input, signature: honest.signature).code(),
                .malformed,
                input
            )
        }
        let bytes = honest.signature.dropFirst(4)
        for signature in [
            "", "sig", "sig=1", "sig=()", "sig=(\(bytes))", "sig=\"\(bytes.dropFirst().dropLast())\"",
            "sig=:A!:", "\(honest.signature);x", "sig=AAAA", "\(honest.signature),",
        ] {
            XCTAssertEqual(
                try Hostile(input: honest.input, signature: signature).code(),
                .malformed,
                signature
            )
        }
        XCTAssertEqual(try Hostile(input: "", signature: "").code(), .unsigned)
        for signature in ["sig=::", "sig=:AAAA:", "sig=:\(String(repeating: "A", count: 43))=:"] {
            XCTAssertEqual(
                try Hostile(input: honest.input, signature: signature).code(),
                .invalidSignature,
                signature
            )
        }
    }
}
