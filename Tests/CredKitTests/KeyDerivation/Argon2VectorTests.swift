// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import XCTest

/// The vectors of RFC 9106, with several lanes, a secret and associated data.
final class Argon2VectorTests: XCTestCase {
    private struct Case: Decodable {
        let variant: String
        let memoryKiB, passes, lanes: Int
        let password, salt, secret, associatedData, tag: HexBytes
    }

    func testVectorsOfRFC9106() throws {
        let cases = try VectorFile<Case>.load("rfc9106-argon2").cases
        for test in cases {
            let parameters = Argon2.Parameters(
                variant: try XCTUnwrap(Argon2.Variant(rawValue: test.variant)),
                memory: .kibibytes(test.memoryKiB),
                passes: test.passes,
                lanes: test.lanes,
                secret: test.secret.bytes,
                associatedData: test.associatedData.bytes
            )
            func key(_ implementation: Argon2Implementation) throws(KeyDerivationError) -> [UInt8] {
                try Argon2.deriveKey(
                    from: test.password.bytes.span,
                    salt: test.salt.bytes,
                    parameters,
                    count: test.tag.bytes.count,
                    Argon2.Computation(implementation: implementation)
                ).copiedBytes
            }
            XCTAssertEqual(try key(.vectorized), test.tag.bytes, test.variant)
            XCTAssertThrowsError(try key(.libsodium)) { error in
                guard case .unsupported = error as? KeyDerivationError else { return XCTFail("\(error)") }
            }
        }
        XCTAssertEqual(cases.map(\.variant), ["argon2d", "argon2i", "argon2id"])
    }

    func testKernelsPassTheirTest() {
        XCTAssertNil(Argon2Implementation.rejectedKernels)
        XCTAssertNotNil(Argon2Implementation.selectedKernels)
    }
}
