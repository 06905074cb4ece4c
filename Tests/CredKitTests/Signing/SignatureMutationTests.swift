// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

final class SignatureMutationTests: XCTestCase {
    /// Only the original is accepted, whatever byte is changed in the two fields.
    func testFieldsOfASignature() throws {
        let original = HostileMessage([
            .init(#""@method""#, "GET"), .init(#""@path""#, "/"), .init(#""x""#, "v"),
        ])
        XCTAssertNil(try original.code())
        var generator = SeededGenerator(seed: 9421)
        var accepted = 0
        for _ in 0..<5_000 {
            var input = Array(original.input.utf8)
            var signature = Array(original.signature.utf8)
            if Bool.random(using: &generator) {
                mutate(&input, &generator)
            } else {
                mutate(&signature, &generator)
            }
            let changed = HostileMessage(
                input: String(decoding: input, as: UTF8.self),
                signature: String(decoding: signature, as: UTF8.self)
            )
            guard changed.input != original.input || changed.signature != original.signature else {
                continue
            }
            guard try changed.code() == nil else { continue }
            // Spaces that are not significant, or the last bits of Base64.
            accepted += 1
            let value = try StructuredField.Dictionary(parsing: changed.input).serialized()
            XCTAssertEqual(value, original.input)
            let bytes = try StructuredField.Dictionary(parsing: changed.signature).serialized()
            XCTAssertEqual(bytes, original.signature)
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
