// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

@testable import CredKit

/// Batches of hashes behind names in braces, and of applications, in one process of the peer each: 1,000 random passwords of each
/// form with `CREDKIT_DEEP`, otherwise 5.
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

    /// 19 forms of Keycloak, MediaWiki and Firebase, by hashlib, argon2-cffi, bcrypt and cryptography. A layer over them verifies
    /// the same passwords.
    @Test func hashesOfApplicationsByTheirDefinitionsVerify() throws {
        let script = TestScripts.path("application_hashes.py")
        let command = [try TestScripts.installedPython(), script, "\(Self.count)"]
        let lines = try Program.succeed(command, errors: .kept).lines
        #expect(lines.count == 19 * Self.count)
        let policy = try PasswordPolicy(preferred: .argon2id(memory: .kibibytes(8), passes: 1))
        let context = try PasswordContext(policy: policy)
        var layeredCount = 0
        for line in lines {
            let fields = line.split(separator: " ", maxSplits: 2)
            let (password, hash) = (try Hex.decode(fields[1]), try PasswordHash(String(fields[2])))
            #expect(hash.description == String(fields[2]))
            #expect(hash.scheme.name == String(fields[0]))
            var hashes = [hash]
            if let layered = try? context.layer(over: hash) {
                hashes.append(try PasswordHash(layered))
                layeredCount += 1
            }
            for hash in hashes {
                #expect(try context.matches(password, hash), "\(line)")
                #expect(try !context.matches([0x2D] + password, hash), "\(line)")
            }
        }
        #expect(layeredCount == 13 * Self.count)
    }

    private struct Bind: Encodable {
        let hash: String
        let password: String
        let wrong: String
        var isLocked = false
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

    /// OpenLDAP refuses the password of an entry with a mark behind the name in braces, or without a hash there, and accepts it
    /// without the mark: what an audit counts as locked.
    @Test func marksBehindNamesLockOutOfOpenLDAP() throws {
        var binds: [Bind] = []
        for (name, hash) in [
            ("{CRYPT}", "$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1"), ("{SHA}", "5en6G6MezRroT3XKqkdPOmY/BfQ="),
            ("{SSHA}", "tCNGqyJLk/uvKpCa4vga5GB2gWoxMjM0NTY3OA=="),
        ] {
            binds.append(Bind(hash: name + hash, password: "secret", wrong: "-secret"))
            for mark in ["!", "!!", "*", "*LK*", "*LOCKED*", "*AL*"] {
                binds.append(Bind(hash: name + mark + hash, password: "secret", wrong: "x", isLocked: true))
                binds.append(Bind(hash: name + mark, password: "secret", wrong: "x", isLocked: true))
            }
        }
        for text in ["", "x", "NP", "UP", "!x", "!*", "*LK*NP"] {
            binds.append(Bind(hash: "{CRYPT}" + text, password: "secret", wrong: "x", isLocked: true))
        }
        var input = Data()
        for bind in binds {
            input += try JSONEncoder().encode(bind)
            input.append(UInt8(ascii: "\n"))
            var audit = PasswordTableAudit()
            audit.add(bind.hash, row: 1)
            let isLocked = audit.lockedWithHash + audit.records(.locked) == 1
            #expect(isLocked == bind.isLocked, "\(bind.hash)")
            #expect(audit.records(.unreadable) == 0, "\(bind.hash)")
        }
        let command = ["python3", TestScripts.path("slapd_binds.py")]
        let answer = try Program.succeed(command, input: input, errors: .kept).text
        #expect(answer == "\(binds.count)\n")
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
