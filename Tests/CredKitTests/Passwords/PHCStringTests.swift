// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import XCTest

final class PHCStringTests: XCTestCase {
    private static let nameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-"
    private static let valueCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/+.-"

    private func randomString(using random: inout SeededGenerator) -> PHCString {
        func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        let edges: [UInt32] = [0, 1, 19, .max, .random(in: 0 ... .max, using: &random)]
        let version = oneIn(2) ? edges.randomElement(using: &random) : nil
        var parameters: [PHCString.Parameter] = []
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let name = oneIn(4) ? "v" : random.text(of: Self.nameCharacters, count: 1...(oneIn(4) ? 32 : 3))
            guard !parameters.contains(where: { $0.name == name }) else { continue }
            let value = random.text(of: Self.valueCharacters, count: 1...(oneIn(4) ? 80 : 6))
            parameters.append(.init(name: name, value: value))
        }
        // The only value without a representation: "v=…" alone would be parsed as the version.
        if version == nil, parameters.count == 1, parameters[0].name == "v" { parameters = [] }
        let digest = oneIn(5) ? nil : random.bytes(count: 1...70)
        let salt = oneIn(5) ? nil : random.bytes(count: (digest == nil ? 1 : 0)...40)
        return PHCString(
            identifier: random.text(of: Self.nameCharacters, count: 1...32),
            version: version,
            parameters: parameters,
            salt: salt,
            digest: salt == nil ? nil : digest
        )
    }

    func testValuesRoundTrip() throws {
        var random = SeededGenerator(seed: 42)
        for _ in 0..<5000 {
            let value = randomString(using: &random)
            let text = value.description
            let parsed = try PHCString(parsing: text)
            XCTAssertEqual(parsed, value, text)
            XCTAssertEqual(parsed.description, text)
            XCTAssertEqual(
                try PHCString(parsing: "x\(text)y".dropFirst().dropLast()),
                value,
                "a part of \(text)"
            )
        }
    }

    /// Each value has exactly one text: every text that parses is the one that would be printed.
    func testChangedTextIsRefusedOrAnotherValue() throws {
        var random = SeededGenerator(seed: 43)
        let characters = Array("$,=vaZ019+/.-_ A\n\0é")
        var parsed = 0
        for _ in 0..<10_000 {
            let value = randomString(using: &random)
            var text = Array(value.description)
            let place = Int.random(in: text.indices, using: &random)
            let character = characters.randomElement(using: &random) ?? "$"
            switch Int.random(in: 0..<3, using: &random) {
            case 0: text[place] = character
            case 1: text.insert(character, at: place)
            default: text.remove(at: place)
            }
            guard String(text) != value.description else { continue }
            guard let other = try? PHCString(parsing: String(text)) else { continue }
            parsed += 1
            XCTAssertNotEqual(other, value, String(text))
            XCTAssertEqual(Array(other.description.utf8), Array(String(text).utf8), String(text))
        }
        XCTAssertGreaterThan(parsed, 1000)
    }

    func testTheExamplesOfTheSpecification() throws {
        let full = try PHCString(
            parsing: "$argon2i$m=120,t=5000,p=2,keyid=Hj5+dsK0,data=sRlHhRmKUGzdGmXn01XmXygd5Kc"
                + "$4fXXG0spB92WPB1NitT8/OH0VKI$iPBVuORECm5biUsjq33hn9/7BKqy9aPWKhFfK2haEsM"
        )
        XCTAssertEqual(full.identifier, "argon2i")
        XCTAssertNil(full.version)
        XCTAssertEqual(full.parameters.map(\.name), ["m", "t", "p", "keyid", "data"])
        XCTAssertEqual(full.parameters.last?.value, "sRlHhRmKUGzdGmXn01XmXygd5Kc")
        XCTAssertEqual(full.salt?.count, 20)
        XCTAssertEqual(full.digest?.count, 32)
        let withoutDigest = try PHCString(parsing: "$argon2i$m=120,t=5000,p=2$4fXXG0spB92WPB1NitT8/OH0VKI")
        XCTAssertEqual(withoutDigest.salt, full.salt)
        XCTAssertNil(withoutDigest.digest)
        XCTAssertNil(try PHCString(parsing: "$argon2i$m=120,t=5000,p=2").salt)
        XCTAssertEqual(try PHCString(parsing: "$argon2i").parameters, [])
        XCTAssertEqual(try PHCString(parsing: "$argon2i$v=19$m=1$YQ").version, 19)
        XCTAssertEqual(try PHCString(parsing: "$argon2i$v=19").parameters, [])
        // A parameter with the name of the version field.
        let parameters = try PHCString(parsing: "$x$v=1,w=2").parameters
        XCTAssertEqual(parameters, [.init(name: "v", value: "1"), .init(name: "w", value: "2")])
        XCTAssertNil(try PHCString(parsing: "$x$v=1,w=2").version)
    }

    func testStrictness() {
        let long = String(repeating: "a", count: 33)
        let malformed = [
            // Identifier.
            "", "a", "a$b=c", "$", "$$", "$$b=c", " $a", "$A", "$a_b", "$a b", "$\(long)", "$é", "$a\0",
            "$a\n", "$a=b$YQ$YQ",
            // Version.
            "$a$v=", "$a$v=x", "$a$v=01", "$a$v=+1", "$a$v=-1", "$a$v= 1", "$a$v=1 ", "$a$v=1.0", "$a$v=0x1",
            "$a$v=4294967296",
            "$a$v=99999999999999999999999999999999999999", "$a$v=١", "$a$v=1$v=", "$a$v=1$v=1$v=1",
            // Parameters.
            "$a$=c", "$a$b=", "$a$b=c,", "$a$,b=c", "$a$b=c,,d=e", "$a$b=c,b=c", "$a$b=c,b=d", "$a$b=c,d",
            "$a$B=c", "$a$b_=c",
            "$a$\(long)=c", "$a$b=c d", "$a$b=c=", "$a$b=c=d", "$a$b=é", "$a$b=c_d", "$a$b=c;d=e", "$a$b=c\0",
            "$a$b==c", "$a$b=c$d=e",
            // Salt and digest.
            "$a$", "$a$$", "$a$b=c$", "$a$b=c$$", "$a$b=c$YQ$", "$a$b=c$YQ$YQ$", "$a$b=c$YQ$YQ$YQ",
            "$a$b=c$YR", "$a$b=c$YQ$YR",
            "$a$b=c$YWJ", "$a$b=c$Y", "$a$b=c$YQ==", "$a$b=c$YWI=", "$a$b=c$YQ$YQ==", "$a$b=c$Y-_w",
            "$a$b=c$Y.Q", "$a$b=c$Y Q", "$a$b=c$YQ\n",
            "$a$b=c$YQ$YQ\n", "$a$b=c$YQ$YQ\0", "$a$b=c$YQ$YQ ", "$a$b=c$ÝQ", "$a$YQ$b=c", "$a$b=c$YQ$b=c",
            // A combining mark before the dollar sign.
            "$\u{301}a$b=c", "$a$\u{301}b=c", "$a$b=c$\u{301}YQ",
        ]
        for text in malformed {
            XCTAssertThrowsError(try PHCString(parsing: text), text) {
                XCTAssertEqual($0 as? PasswordError, .malformed, text)
            }
        }
        let wellFormed = [
            "$a", "$-", "$\(long.dropLast())", "$a$v=0", "$a$v=4294967295", "$a$b=c",
            "$a$\(long.dropLast())=c", "$a$b=/+.-", "$a$YQ",
            "$a$$YQ", "$a$b=c$$YQ",
            "$a$v=1$YQ", "$a$v=1$YQ$YWI", "$a$v=1$v=1", "$a$v=1$b=c,v=x$YWJj$YWJj",
        ]
        for text in wellFormed { XCTAssertEqual(try PHCString(parsing: text).description, text) }
    }

    func testIntegersMustBeCompleteAndInOrder() throws {
        let phc = try PHCString(parsing: "$a$m=4294967295,t=0,p=10")
        XCTAssertEqual(try phc.integers(["m", "t", "p"]), [4_294_967_295, 0, 10])
        for names in [["m", "t"], ["m", "p", "t"], ["m", "t", "p", "x"], ["t", "p"], []] {
            XCTAssertThrowsError(try phc.integers(names)) {
                XCTAssertEqual($0 as? PasswordError, .malformed, "\(names)")
            }
        }
        XCTAssertEqual(try phc.integers(["m"], before: ["t", "p"]), [4_294_967_295])
        XCTAssertThrowsError(try phc.integers(["t", "p"], before: ["m"]))
        XCTAssertThrowsError(try phc.integers(["m"], before: ["t"]))
        XCTAssertEqual(try PHCString(parsing: "$a").integers([]), [])
        for value in ["00", "01", "+1", "-1", "4294967296", "18446744073709551617", "1e3", "a", "1.0"] {
            XCTAssertThrowsError(try PHCString(parsing: "$a$m=\(value)").integers(["m"]), value) {
                XCTAssertEqual($0 as? PasswordError, .malformed, value)
            }
        }
    }

    func testErrorsDoNotRepeatTheText() {
        for text in ["$a$xyzzy=1,xyzzy=2", "$a$xyzzy", "$XYZZY$", "$a$m=xyzzy_", "$a$v=xyzzy"] {
            XCTAssertThrowsError(try PHCString(parsing: text), text) {
                XCTAssertFalse("\($0)".lowercased().contains("xyzzy"), "\($0)")
            }
        }
    }
}
