// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

/// Compares batches with the same messages hashed one by one; `script/test-kernels` compares both with OpenSSL.
final class MD5BatchTests: XCTestCase {
    private var random = SeededGenerator(seed: 6)

    private func messages(_ count: Int, longest: Int) -> [[UInt8]] {
        (0..<count).map { _ in
            (0..<Int.random(in: 0...longest, using: &random)).map { _ in .random(in: 0...255, using: &random)
            }
        }
    }

    private func check(_ messages: [[UInt8]], file: StaticString = #filePath, line: UInt = #line) {
        let digests = messages.map { Legacy.MD5.hash(data: $0) }
        XCTAssertEqual(Legacy.MD5.hashes(of: messages), digests, file: file, line: line)
        let key = Legacy.HMACMD5.Key("key")
        let codes = messages.map { Legacy.HMACMD5.authenticationCode(for: $0, using: key) }
        XCTAssertEqual(
            Legacy.HMACMD5.authenticationCodes(for: messages, using: key),
            codes,
            file: file,
            line: line
        )

        let bytes = messages.flatMap { $0 }
        var length = 0
        let ends = messages.map { message -> Int in
            length += message.count
            return length
        }
        let flat = [MessageDigest<16>](capacity: ends.count) {
            Legacy.MD5.hash(bytes.span, endingAt: ends.span, into: &$0)
        }
        XCTAssertEqual(flat, digests, file: file, line: line)
        let flatCodes = [MessageDigest<16>](capacity: ends.count) {
            Legacy.HMACMD5.authenticate(bytes.span, endingAt: ends.span, using: key, into: &$0)
        }
        XCTAssertEqual(flatCodes, codes, file: file, line: line)
    }

    func testPasswordsAreReadInPlace() throws {
        let passwords = ["", "123456", "pässword", "with\0NUL", String(repeating: "long", count: 40)]
        let key = Legacy.HMACMD5.Key("84143")
        let codes = passwords.map { Legacy.HMACMD5.authenticationCode(forPassword: $0, using: key) }
        XCTAssertEqual(Legacy.HMACMD5.authenticationCodes(forPasswords: passwords, using: key), codes)
        let secrets = try passwords.map { try SecretBytes($0) }
        XCTAssertEqual(Legacy.HMACMD5.authenticationCodes(forPasswords: secrets, using: key), codes)
    }

    func testBatchesMatchSingleDigests() {
        for count in [0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200] {
            check(messages(count, longest: 54))
        }
    }

    func testMessagesOfDifferentLengthsKeepTheirPlaces() {
        for _ in 0..<40 { check(messages(.random(in: 1...80, using: &random), longest: 300)) }
    }

    func testLengthsAroundTheEndsOfBlocks() {
        let lengths = [
            0, 1, 15, 16, 31, 32, 47, 48, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 129,
        ]
        check(lengths.map { length in [UInt8](repeating: 0xA5, count: length) })
        for length in lengths {
            check([[UInt8]](repeating: .init(repeating: 0x5A, count: length), count: 20))
        }
    }

    func testOneLongMessageAmongShortOnes() {
        var all = messages(40, longest: 20)
        all[7] = .init(repeating: 1, count: 1_000_003)
        all[30] = .init(repeating: 2, count: 70_001)
        check(all)
    }

    func testNoncontiguousCollections() {
        let texts = (0..<50).map { String(repeating: "ä", count: $0) }
        XCTAssertEqual(Legacy.MD5.hashes(of: texts.map(\.utf8)), texts.map { Legacy.MD5.hash(data: $0.utf8) })
        let ranges = (0..<20).map { UInt8(0)..<UInt8($0) }
        XCTAssertEqual(Legacy.MD5.hashes(of: ranges), ranges.map { Legacy.MD5.hash(data: $0) })
    }

    /// RFC 1321 §A.5.
    func testRFC1321VectorsInOneBatch() {
        let vectors = [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ), (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ]
        XCTAssertEqual(Legacy.MD5.hashes(of: vectors.map(\.0.utf8)).map { $0.hex }, vectors.map(\.1))
    }

    func testProofsOfManyChallengesMatchSingleProofs() {
        for count in [0, 1, 5, 31, 100] {
            var texts = (0..<count).map { "2026-01-02 03:\($0)" }
            if count > 5 { texts += ["", String(repeating: "x", count: 99)] }
            XCTAssertEqual(proofs(texts), texts.map { proof($0) })
        }
        XCTAssertEqual(proofs(["2026-01-02 03:04"]), ["9a51cf7b4bb312ed632030677c8faf73"])
    }

    private let scheme = Legacy.TimestampedLogin(keyPhrase: "itheima")

    private func proofs(_ texts: [String]) -> [String] {
        scheme.proofs(passwordEquivalent: scheme.passwordEquivalent(for: "123456"), challenges: texts).map {
            $0.hex
        }
    }

    private func proof(_ text: String) -> String { scheme.proof(for: "123456", challenge: text).hex }
}
