// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class LayeredHashTests: XCTestCase {
    private func context(pepper: PasswordPepper? = nil) throws -> PasswordContext {
        try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1)),
            pepper: pepper,
            legacyKeys: ["app": SecretBytes("84143")]
        )
    }

    func testEveryOlderSchemeCanBeLayered() throws {
        let context = try context()
        var forms: Set<String> = []
        for test in try StoredHashCase.all() {
            let older = try PasswordHash(test.hash)
            guard !["argon2id", "argon2i", "argon2d", "scrypt", "firebase-scrypt"].contains(test.scheme),
                !older.isSCRAM
            else {
                XCTAssertThrowsError(try context.layer(over: older)) {
                    XCTAssertEqual($0 as? PasswordError, .unsupported)
                }
                continue
            }
            // One hash of each form is enough.
            let form = try test.form()
            guard forms.insert(form).inserted else { continue }
            guard !form.contains("-or-") else {
                XCTAssertThrowsError(try context.layer(over: older)) {
                    XCTAssertEqual($0 as? PasswordError, .unsupported)
                }
                continue
            }
            let layered = try context.layer(over: older)
            XCTAssertTrue(layered.hasPrefix("$layered-argon2id$v=19$m=64,t=1,p=1,inner="), layered)
            XCTAssertEqual(try PasswordHash(layered).description, layered)
            // The new hash contains neither the older digest nor the older hash text.
            let inner = layered.split(separator: "inner=")[1].split(separator: "$")[0]
            let setting = String(decoding: try Base64.standard.unpadded.decode(inner), as: UTF8.self)
            XCTAssertEqual(try PasswordHash(setting).scheme, older.scheme)
            for digest in [
                String(decoding: older.digest, as: UTF8.self), Hex.encode(older.digest),
                Base64.standard.encode(older.digest),
            ] {
                XCTAssertFalse(setting.contains(digest.prefix(8)), setting)
            }

            let answer = try context.verify(test.password, against: layered)
            // DES crypt uses only the first eight bytes, so no upgrade is made for a longer password.
            if test.scheme != "des-crypt" {
                guard case .match(let upgraded?) = answer else { return XCTFail("no upgrade of \(layered)") }
                XCTAssertTrue(upgraded.hasPrefix("$argon2id$"), upgraded)
                XCTAssertEqual(try context.verify(test.password, against: upgraded), .match(rehashed: nil))
            }
            XCTAssertTrue(answer.isMatch)
            // Neither a wrong password nor any part of the older hash is accepted as the password.
            for attempt in [
                "x" + test.password, test.hash, String(decoding: older.digest, as: UTF8.self),
                Hex.encode(older.digest), setting,
            ]
            where attempt.utf8.count < 512 && !attempt.contains("\0") {
                XCTAssertEqual(try context.verify(attempt, against: layered), .mismatch, layered)
            }
        }
        XCTAssertGreaterThan(forms.count, 40)
    }

    private struct Vector: Decodable, Sendable {
        let password: String
        let hash: String
    }

    /// The vectors that the verifiers in other languages read, too. Their HMAC key is the one of ``context(pepper:)``.
    func testVectorsMadeFromTheDefinitionInPython() throws {
        let context = try context()
        let vectors = try VectorFile<Vector>.load("layered-hashes").cases
        XCTAssertGreaterThan(vectors.count, 100)
        for vector in vectors {
            XCTAssertTrue(try context.verify(vector.password, against: vector.hash).isMatch, vector.hash)
            XCTAssertFalse(try context.verify("\u{1}" + vector.password, against: vector.hash).isMatch)
        }
    }

    /// Recomputes a layered hash step by step from its documented definition.
    func testLayeredInputMatchesItsDefinition() throws {
        let context = try context()
        let layered = try context.layer(over: "{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==")
        let fields = layered.split(separator: "$", omittingEmptySubsequences: false)
        let outer = "$argon2id$v=19$m=64,t=1,p=1$\(fields[4])$\(fields[5])"
        let input =
            Array("{MD5}AAAAAAAAAAAAAAAAAAAAAA==".utf8) + [0] + Legacy.MD5.hash(data: "secret".utf8).bytes
        XCTAssertTrue(try context.verify(input, against: outer).isMatch)
    }

    /// A setting that several frameworks can have made has no definite meaning.
    func testLayeredHashesOfAmbiguousSettingsAreRefused() throws {
        for (function, digitCount, salt, isRefused) in [
            ("md5", 32, "saltSALT", true), ("sha1", 40, "0123456789abcdef", true),
            ("md5", 32, "seasalt", true),
            ("sha256", 64, "saltSALT", true), ("sha384", 96, "01234", true),
            ("sha512", 128, "salt.SAL", true),
            ("md5", 32, "", false), ("sha1", 40, "01234", false), ("md5", 32, "0123456789ab", false),
            ("sha1", 40, "0123456789abcdefghijkl", false), ("md5", 32, "salt.SAL", false),
            ("sha256", 64, "", false),
        ] {
            let setting = "\(function)$\(salt)$" + String(repeating: "0", count: digitCount)
            let inner = Base64.standard.unpadded.encode(setting.utf8)
            let digest = String(repeating: "A", count: 43)
            let text = "$layered-argon2id$v=19$m=64,t=1,p=1,inner=\(inner)$MDEyMzQ1Njc4OWFiY2RlZg$\(digest)"
            guard isRefused else {
                XCTAssertEqual(try PasswordHash(text).description, text)
                continue
            }
            XCTAssertThrowsError(try PasswordHash(text), setting) {
                XCTAssertEqual($0 as? PasswordError, .malformed, setting)
            }
        }
    }

    func testLayeredHashesUseThePepper() throws {
        let key = try SecretBytes(randomByteCount: 32)
        let context = try context(pepper: PasswordPepper(keys: ["k": key], current: "k"))
        let layered = try context.layer(over: "$1$abc$iCQ2D3nhptRYi27fDYv2s1")
        XCTAssertTrue(layered.hasPrefix("$pepper-hmac-sha256$keyid=k$layered-argon2id$"), layered)
        guard case .match(let upgraded?) = try context.verify("secret", against: layered) else {
            return XCTFail("no upgrade")
        }
        XCTAssertTrue(upgraded.hasPrefix("$pepper-hmac-sha256$keyid=k$argon2id$"), upgraded)
        XCTAssertEqual(try context.verify("Secret", against: layered), .mismatch)
    }

    func testHMACKeyIsNotInTheLayeredHash() throws {
        let hash = try PasswordHash(
            legacyHex: "7f51edecfa6fb401a0b5e63d33fc8c0e",
            algorithm: .hmacMD5(keyID: "app")
        )
        let layered = try context().layer(over: hash)
        XCTAssertTrue(try context().verify("hashcat", against: layered).isMatch)
        XCTAssertTrue(try context().verify("hashcat", against: hash).isMatch)
        let other = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1))
        )
        for record in [layered, hash.description] {
            XCTAssertThrowsError(try other.verify("hashcat", against: record)) {
                XCTAssertEqual($0 as? PasswordError, .unknownKey)
            }
        }
    }

    func testLayerUsesTheCostOfThePolicy() throws {
        let fips = try PasswordContext(policy: .owasp2023FIPS140)
        let layered = try PasswordHash(fips.layer(over: "{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ=="))
        XCTAssertEqual(layered.memory, .mebibytes(19))
    }

    func testUnverifiableHashesAreNotLayered() throws {
        let context = try context()
        let digest = String(repeating: "A", count: 43)
        for (record, error) in [
            // Too long when it is layered, and too slow in total.
            ("pbkdf2_sha256$1000$\(String(repeating: "s", count: 720))$\(digest)=", PasswordError.overLimit),
            ("md5$\(String(repeating: ".", count: 800))$5ebe2294ecd0e0f08eab7690d2a6ee69", .overLimit),
            ("$pbkdf2-sha256$22000000$c2FsdA$\(digest)", .overLimit),
        ] {
            XCTAssertThrowsError(try context.layer(over: record), record) {
                XCTAssertEqual($0 as? PasswordError, error)
            }
        }
    }

    func testLayerOverARefusedSchemeIsRefused() throws {
        let layered = try context().layer(over: "$1$abc$iCQ2D3nhptRYi27fDYv2s1")
        var policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(64), passes: 1))
        policy.deprecated.remove(.md5Crypt)
        XCTAssertThrowsError(try PasswordContext(policy: policy).verify("secret", against: layered)) {
            XCTAssertEqual($0 as? PasswordError, .refused)
        }
    }
}
