// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

@testable import CredKit

/// Batches of hashes behind names in braces, in one process of the peer each: 1,000 random passwords of each form with
/// `CREDKIT_DEEP`, otherwise 5.
@Suite struct PrefixedHashPeerTests {
    private static let count = TestForm.isDeep ? 1000 : 5

    /// Python's hashlib makes the hashes by their definitions.
    @Test func hashesByTheirDefinitionsVerify() throws {
        let command = ["python3", TestScripts.path("prefixed_hashes.py"), "\(Self.count)"]
        let lines = try Program.succeed(command, errors: .kept).lines
        #expect(lines.count >= 20 * Self.count)
        let context = PasswordContext()
        for line in lines {
            let fields = line.split(separator: " ")
            let (password, hash) = (try Hex.decode(fields[1]), try PasswordHash(String(fields[2])))
            #expect(hash.description == String(fields[2]))
            #expect(hash.scheme.name == String(fields[0]))
            #expect(try context.matches(password, hash), "\(line)")
            #expect(try !context.matches([0x2D] + password, hash), "\(line)")
        }
    }

    private struct Bind: Encodable {
        let hash: String
        let password: String
        let wrong: String
    }

    /// OpenLDAP itself verifies new hashes.
    @Test func newHashesLogInToOpenLDAP() throws {
        var input = Data()
        var number = 0
        for scheme in PasswordHash.PrefixSystem.openLDAP.schemes {
            let context = try PasswordContext(policy: PasswordPolicy(preferred: .cheapest(scheme)))
            for password in RandomPasswords.draw(Self.count) {
                let hash = try PasswordHash(context.hash(password))
                let text = try #require(hash.notation(for: .openLDAP))
                input += try JSONEncoder().encode(Bind(hash: text, password: password, wrong: "-" + password))
                input.append(UInt8(ascii: "\n"))
                number += 1
            }
        }
        #expect(number >= 5 * Self.count)
        let command = ["python3", TestScripts.path("slapd_binds.py")]
        #expect(try Program.succeed(command, input: input, errors: .kept).text == "\(number)\n")
    }
}

/// Random passwords for programs that take them as arguments.
enum RandomPasswords {
    /// Draws passwords of at most the 72 bytes that bcrypt hashes.
    static func draw(_ count: Int) -> [String] {
        var random = SeededGenerator(seed: 0xD0E)
        let characters = Array("abcXYZ019 $'\"\\{}.,:;é€ß😀")
        return (0..<count).map { _ in
            let length = Int.random(in: 1...17, using: &random)
            return String((0..<length).map { _ in characters.randomElement(using: &random) ?? "a" })
        }
    }
}

extension PasswordParameters {
    /// The parameters of a scheme with the lowest costs.
    static func cheapest(_ scheme: PasswordHash.Scheme) throws -> PasswordParameters {
        let costs = PasswordParameters.costs(of: scheme).map { ($0.name, $0.range.lowerBound) }
        return try PasswordParameters(scheme, costs: Dictionary(uniqueKeysWithValues: costs))
    }
}
