// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// Fields that no honest signer writes. All of them are signed with the right key wherever that is possible.
final class HostileSignatureTests: XCTestCase {
    private typealias Refusal = MessageSignature.Refusal

    private let now = UnixTime(1_700_000_000)

    private func key() throws -> MessageSignature.SigningKey {
        try .hmacSHA256([UInt8](repeating: 7, count: 32))
    }

    private func code(
        input: String,
        signature: String = "sig=:AAAA:",
        requiring: [MessageSignature.Component] = [.method],
        fields: [MessageSignature.Field] = []
    ) throws -> Refusal.Code? {
        let lines: [MessageSignature.Field] = [
            .init("Signature-Input", input), .init("Signature", signature),
        ]
        let request = MessageSignature.Request(
            method: "GET",
            authority: "a",
            path: "/",
            query: "a=1&a=2",
            fields: lines + fields
        )
        let key = try key().verificationKey
        let result = try MessageSignature.Verifier(requiring: requiring).verify(.request(request), at: now) {
            _ in key
        }
        guard case .refused(let refusal) = result else { return nil }
        XCTAssertTrue(refusal.message.utf8.allSatisfy { 0x20...0x7E ~= $0 }, refusal.message)
        return refusal.code
    }

    private let end = #";created=1700000000;keyid="k";nonce="n""#

    func testASignatureOverNothing() throws {
        let base = "\"@signature-params\": ()\(end)"
        let signature = try key().sign(base.utf8)
        let fields = ("sig=()\(end)", "sig=:\(Base64.standard.encode(signature)):")
        XCTAssertEqual(try code(input: fields.0, signature: fields.1), .notCovered)
    }

    func testRepeatedNames() throws {
        let inputs = [
            #"sig=("@method" "@method")"#, #"sig=("x";key="a";req "x";req;key="a")"#,
            #"sig=("@method"), sig=("@method")"#, #"sig=("@method";req;req)"#,
        ]
        for input in inputs { XCTAssertEqual(try code(input: input + end), .malformed, input) }
        XCTAssertEqual(try code(input: #"sig=("@method")\#(end);nonce="m""#), .malformed)
        XCTAssertEqual(
            try code(input: #"sig=("@method")\#(end)"#, signature: "sig=:AAAA:, sig=:AAAA:"),
            .malformed
        )
        XCTAssertEqual(
            try code(input: #"sig=("@method")\#(end)"#, signature: "sig=:AAAA:, b=:AAAA:"),
            .malformed
        )
        XCTAssertEqual(try code(input: #"sig=("@method")\#(end)"#, signature: "b=:AAAA:"), .malformed)
        XCTAssertEqual(
            try code(input: #"sig=("@query-param";name="a" "@method")\#(end)"#),
            .invalidComponent
        )
    }

    func testUnknownAndMisplacedParameters() throws {
        let components = [
            #""@method";x"#, #""@method";name="a""#, #""@method";sf"#, #""@method";key="a""#,
            #""@method";bs"#,
            #""@query-param""#, #""@query-param";name=a"#, #""@query-param";name"#, #""@unknown""#, #""@""#,
            #""@signature-params""#, #""@request-response";key="a""#, #""x";tr"#, #""x";sf=?0"#,
            #""x";req=1"#,
            #""x";bs;sf"#, #""x";bs;key="a""#, #""x";key=a"#, #""x";key"#, #""X""#, #""x y""#, #""x:""#,
            #""@status";req"#, #""x";unknown"#,
        ]
        for component in components {
            let result = try code(input: "sig=(\"@method\" \(component))\(end)")
            XCTAssertEqual(result, .invalidComponent, component)
        }
        for component in ["x", "1", ":YQ==:", "?1", #""""#] {
            let result = try code(input: "sig=(\"@method\" \(component))\(end)")
            XCTAssertTrue([.malformed, .limitExceeded].contains(result), component)
        }
    }

    func testParametersOfTheSignature() throws {
        let parameters = [
            ";unknown", ";created", ";created=1.0", ";created=\"1\"", ";created=@1700000000", ";created=-1",
            ";expires=-1", ";nonce=n", ";keyid=k", ";keyid=:YQ==:", ";alg=hmac-sha256", ";tag", ";expires=?1",
            ";created=1700000000000000", ";expires=9999999999999999",
        ]
        for parameter in parameters {
            XCTAssertEqual(try code(input: "sig=(\"@method\")\(parameter)"), .malformed, parameter)
        }
        for parameter in ["nonce", "keyid", "tag", "alg"] {
            let text = String(repeating: "a", count: 257)
            let result = try code(input: "sig=(\"@method\");\(parameter)=\"\(text)\"")
            XCTAssertEqual(result, .limitExceeded, parameter)
        }
    }

    func testMalformedFields() throws {
        let inputs = [
            "sig", "sig=1", "sig=\"@method\"", "sig=(\"@method\"", "sig=(\"@method\"),", "(\"@method\")", "=",
            "SIG=(\"@method\")", "sig=(\"@method\"\"@path\")", "\u{0}",
        ]
        for input in inputs { XCTAssertEqual(try code(input: input), .malformed, input) }
        let input = #"sig=("@method")\#(end)"#
        for signature in [
            "", "sig", "sig=1", "sig=()", "sig=\"AAAA\"", "sig=:A!:", "sig=:AAAA:;x", "sig=AAAA",
        ] {
            XCTAssertEqual(try code(input: input, signature: signature), .malformed, signature)
        }
        XCTAssertEqual(try code(input: "", signature: ""), .unsigned)
        for signature in ["sig=::", "sig=:AAAA:"] {
            XCTAssertEqual(try code(input: input, signature: signature), .invalidSignature, signature)
        }
    }

    func testLimits() throws {
        let names = (0..<10_000).map { "\"x\($0)\"" }.joined(separator: " ")
        XCTAssertEqual(try code(input: "sig=(\(names))\(end)"), .limitExceeded)
        func components(_ count: Int) -> String {
            (0..<count).map { "\"x\($0)\"" }.joined(separator: " ")
        }
        XCTAssertEqual(try code(input: "sig=(\(components(65)))\(end)"), .limitExceeded)
        XCTAssertEqual(try code(input: "sig=(\(components(64)))\(end)"), .notCovered)
        let labels = (0..<9).map { "s\($0)=(\"@method\")\(end)" }.joined(separator: ",")
        let signatures = (0..<9).map { "s\($0)=:AAAA:" }.joined(separator: ",")
        XCTAssertEqual(try code(input: labels, signature: signatures), .limitExceeded)
        let long = "sig=(\"@method\" \"\(String(repeating: "x", count: 257))\")\(end)"
        XCTAssertEqual(try code(input: long), .limitExceeded)
        XCTAssertEqual(try code(input: String(repeating: " ", count: 16_385)), .limitExceeded)
        // The same large field in several forms.
        let value = String(repeating: "a=1, ", count: 20_000) + "a=1"
        let keys = (0..<32).map { "\"large\";key=\"k\($0)\"" }.joined(separator: " ")
        let input = "sig=(\"large\" \"large\";bs \"@method\" \(keys))\(end)"
        XCTAssertEqual(try code(input: input, fields: [.init("Large", value)]), .limitExceeded)
    }

    /// Only the original is accepted, whatever byte is changed in the two fields.
    func testMutations() throws {
        let request = MessageSignature.Request(method: "GET", authority: "a", path: "/", query: "a=1&a=2")
        let key = try key()
        let signer = try MessageSignature.Signer(key: key, keyID: "k", covering: [.method, .path, .query])
        let signed = try signer.sign(.request(request), at: now, nonce: "nonce")
        XCTAssertNil(try code(input: signed.signatureInput, signature: signed.signature))
        var generator = SeededGenerator(seed: 9421)
        var accepted = 0
        for _ in 0..<5_000 {
            var input = Array(signed.signatureInput.utf8)
            var signature = Array(signed.signature.utf8)
            if Bool.random(using: &generator) {
                mutate(&input, &generator)
            } else {
                mutate(&signature, &generator)
            }
            let text = (String(decoding: input, as: UTF8.self), String(decoding: signature, as: UTF8.self))
            guard text.0 != signed.signatureInput || text.1 != signed.signature else { continue }
            guard try code(input: text.0, signature: text.1) == nil else { continue }
            // Spaces that are not significant, or the last bits of Base64.
            accepted += 1
            let value = try StructuredField.Dictionary(parsing: text.0).serialized()
            XCTAssertEqual(value, signed.signatureInput)
            let bytes = try StructuredField.Dictionary(parsing: text.1).serialized()
            XCTAssertEqual(bytes, signed.signature)
        }
        XCTAssertLessThan(accepted, 500)
    }

    private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let index = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &generator), at: index)
        default: bytes[index] ^= 1 << UInt8.random(in: 0..<7, using: &generator)
        }
    }
}
