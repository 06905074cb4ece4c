// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitVectors
import XCTest

@testable import CredKit

final class CipherTests: XCTestCase {
    private struct KeyCase: Decodable {
        let name: String
        let key, salt, info, output: HexBytes
    }

    private struct SealCase: Decodable {
        let name: String
        let key, nonce, plaintext, context, sealed: HexBytes
    }

    func testDerivesThePublishedKeys() throws {
        for test in try VectorFile<KeyCase>.load("rfc5869-hkdf").cases {
            let key = try HKDF.deriveKey(
                from: test.key.bytes,
                salt: test.salt.bytes,
                info: test.info.bytes,
                count: test.output.bytes.count
            )
            XCTAssertEqual(key, try SecretBytes(test.output.bytes), test.name)
        }
    }

    func testSealsAndOpensThePublishedTexts() throws {
        for test in try VectorFile<SealCase>.load("gcm-aes256").cases {
            let key = try SecretBytes(test.key.bytes)
            let (nonce, context, sealed) = (test.nonce.bytes, test.context.bytes, test.sealed.bytes)
            XCTAssertEqual(
                try AESGCM.seal(test.plaintext.bytes, key: key, nonce: nonce, context: context),
                sealed
            )
            let opened = try AESGCM.open(sealed.span, key: key, nonce: nonce, context: context)
            XCTAssertEqual(opened, try SecretBytes(test.plaintext.bytes), test.name)
            for index in sealed.indices {
                var changed = sealed
                changed[index] ^= 1
                XCTAssertThrowsError(try AESGCM.open(changed.span, key: key, nonce: nonce, context: context))
            }
            XCTAssertThrowsError(try AESGCM.open(sealed.span, key: key, nonce: nonce, context: context + [0]))
            let short = Array(sealed[..<15])
            XCTAssertThrowsError(
                try AESGCM.open(short.span, key: key, nonce: nonce, context: context)
            )
        }
    }

    func testOpensInPlace() throws {
        for test in try VectorFile<SealCase>.load("gcm-aes256").cases {
            let key = try SecretBytes(test.key.bytes)
            let (nonce, context) = (test.nonce.bytes, test.context.bytes)
            let prefix: [UInt8] = [1, 2, 3]
            let file = prefix + test.sealed.bytes
            let open = { (bytes: inout [UInt8], context: [UInt8]) in
                AESGCM.Opener(key: key)?
                    .openInPlace(&bytes, from: prefix.count, nonce: nonce, context: context) ?? false
            }
            var opened = file
            XCTAssertTrue(open(&opened, context), test.name)
            XCTAssertEqual(opened, prefix + test.plaintext.bytes, test.name)
            for index in file.indices.dropFirst(prefix.count) {
                var changed = file
                changed[index] ^= 1
                XCTAssertFalse(open(&changed, context), test.name)
                XCTAssertEqual(changed, [], "what is not authentic is not revealed")
            }
            opened = file
            XCTAssertFalse(open(&opened, context + [0]))
            for count in 0..<prefix.count + AESGCM.tagByteCount {
                var short = Array(file.prefix(count))
                XCTAssertFalse(open(&short, context), "\(count)")
            }
        }
    }
}
