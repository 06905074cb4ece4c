// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import CredKitVectors
import Testing

@testable import CredKit

/// Wycheproof's cases, which try what implementations get wrong. The numbers are those of the files, so that no case is lost.
@Suite struct WycheproofTests {
    /// What became of the cases of a file.
    private struct Tally: Equatable {
        /// Valid cases with the right result, and invalid ones that were refused.
        var passed = 0
        /// Valid cases that are refused on purpose: this package takes fewer parameters.
        var refused = 0

        mutating func add(_ isPassed: Bool, _ identifier: Int) {
            #expect(isPassed, "case \(identifier)")
            passed += 1
        }
    }

    private struct Authentication: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let key, msg, tag: HexBytes
            let result: String
        }

        let tests: [Case]
    }

    @Test(arguments: [("hmac_sha1", 170), ("hmac_sha256", 174), ("hmac_sha384", 174), ("hmac_sha512", 174)])
    func hmac(name: String, count: Int) throws {
        var tally = Tally()
        for test in try WycheproofFile<Authentication>.load(name).testGroups.flatMap(\.tests) {
            func code<Function: DigestAlgorithm>(_: Function.Type) -> [UInt8] {
                Array(
                    HMAC<Function>.authenticationCode(for: test.msg.bytes.span, using: .init(test.key.bytes))
                )
            }
            let computed =
                switch name {
                case "hmac_sha1": code(Legacy.SHA1.self)
                case "hmac_sha256": code(SHA256.self)
                case "hmac_sha384": code(SHA384.self)
                default: code(SHA512.self)
                }
            // Some tags are cut.
            let isValid = Array(computed.prefix(test.tag.bytes.count)) == test.tag.bytes
            tally.add(isValid == (test.result == "valid"), test.tcId)
        }
        #expect(tally == Tally(passed: count))
    }

    private struct Encryption: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let key, iv, aad, msg, ct, tag: HexBytes
            let result: String
        }

        let ivSize, keySize, tagSize: Int
        let tests: [Case]
    }

    /// Keys of 128 and 192 bits and nonces of other sizes than 96 bits cannot be given.
    @Test func aesGCM() throws {
        var tally = Tally()
        for group in try WycheproofFile<Encryption>.load("aes_gcm").testGroups {
            guard group.keySize == 256, group.ivSize == 96, group.tagSize == 128 else {
                tally.refused += group.tests.count
                continue
            }
            for test in group.tests {
                let key = try SecretBytes(test.key.bytes)
                let sealed = test.ct.bytes + test.tag.bytes
                let (nonce, context) = (test.iv.bytes, test.aad.bytes)
                let opened: [UInt8]?
                do throws(CipherError) {
                    let plaintext = try AESGCM.open(sealed.span, key: key, nonce: nonce, context: context)
                    opened = plaintext.withSecretBytes { plaintext in plaintext.indices.map { plaintext[$0] }
                    }
                } catch {
                    #expect(error == .notAuthentic)
                    opened = nil
                }
                guard test.result == "valid" else {
                    tally.add(opened == nil, test.tcId)
                    continue
                }
                let again = try AESGCM.seal(test.msg.bytes, key: key, nonce: nonce, context: context)
                tally.add(opened == test.msg.bytes && again == sealed, test.tcId)
            }
        }
        #expect(tally == Tally(passed: 66, refused: 250))
    }

    private struct Extraction: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let ikm, salt, info, okm: HexBytes
            let size: Int
            let result: String
        }

        let tests: [Case]
    }

    /// More than 8,160 bytes are a mistake of the program, at which it ends.
    @Test func hkdf() throws {
        var tally = Tally()
        for test in try WycheproofFile<Extraction>.load("hkdf_sha256").testGroups.flatMap(\.tests) {
            guard test.size <= 32 * 255 else {
                #expect(test.result == "invalid")
                tally.refused += 1
                continue
            }
            let key = try HKDF.deriveKey(
                from: test.ikm.bytes,
                salt: test.salt.bytes,
                info: test.info.bytes,
                count: test.size
            )
            let bytes = key.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
            tally.add(bytes == test.okm.bytes && test.result == "valid", test.tcId)
        }
        #expect(tally == Tally(passed: 83, refused: 3))
    }

    private struct Derivation: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let password, salt, dk: HexBytes
            let iterationCount, dkLen: Int
            let result: String
        }

        let tests: [Case]
    }

    @Test(arguments: [("pbkdf2_hmacsha1", 64), ("pbkdf2_hmacsha256", 60), ("pbkdf2_hmacsha512", 58)])
    func pbkdf2(name: String, count: Int) throws {
        let function: PBKDF2.Function =
            switch name {
            case "pbkdf2_hmacsha1": .sha1
            case "pbkdf2_hmacsha256": .sha256
            default: .sha512
            }
        var tally = Tally()
        for test in try WycheproofFile<Derivation>.load(name).testGroups.flatMap(\.tests) {
            let key = try PBKDF2.deriveKey(
                from: SecretBytes(test.password.bytes),
                salt: test.salt.bytes,
                function: function,
                iterations: test.iterationCount,
                count: test.dkLen
            )
            let bytes = key.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
            tally.add(bytes == test.dk.bytes && test.result == "valid", test.tcId)
        }
        #expect(tally == Tally(passed: count))
    }

    private struct Signature: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let msg, sig: HexBytes
            let result: String
        }

        let publicKeyPem: String
        let tests: [Case]
    }

    /// The salt of `rsa-pss-sha512` has 64 bytes (RFC 9421 §3.3.1), and that of these signatures 32: each must be refused.
    @Test func rsaPSS() throws {
        var tally = Tally()
        for group in try WycheproofFile<Signature>.load("rsa_pss_4096_sha512_mgf1_32").testGroups {
            let key = try #require(MessageSignature.PublicKey(pem: group.publicKeyPem))
            for test in group.tests {
                let isValid = key.isValid(
                    test.sig.bytes.span,
                    of: test.msg.bytes.span,
                    algorithm: .rsaPSSSHA512
                )
                #expect(!isValid, "case \(test.tcId)")
                if test.result == "valid" { tally.refused += 1 } else { tally.passed += 1 }
            }
        }
        #expect(tally == Tally(passed: 45, refused: 132))
    }
}
