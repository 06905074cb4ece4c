// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CredKit

/// The ciphers of databases of other programs.
@Suite struct ForeignCipherTests {
    /// The first blocks of the stream: of the ECRYPT vectors (set 1, vector 0), and of RFC 8439 (appendix A.1, vector 1).
    @Test func streamsAreThoseOfTheirSpecifications() throws {
        let zeros = [UInt8](repeating: 0, count: 64)
        let first = try SecretBytes([0x80] + [UInt8](repeating: 0, count: 31))
        let salsa = try StreamCipher.salsa20.open(zeros.span, key: first, nonce: Array(zeros.prefix(8)))
        #expect(
            salsa.hex
                == "e3be8fdd8beca2e3ea8ef9475b29a6e7003951e1097a5c38d23b7a5fad9f6844"
                + "b22c97559e2723c7cbbd3fe4fc8d9a0744652a83e72a9c461876af4d7ef1a117"
        )
        let second = try SecretBytes(Array(zeros.prefix(32)))
        let chaCha = try StreamCipher.chacha20.open(zeros.span, key: second, nonce: Array(zeros.prefix(12)))
        #expect(
            chaCha.hex
                == "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                + "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
        )
    }

    @Test func noBytesAreNoPlaintext() throws {
        let key = try SecretBytes([UInt8](repeating: 0, count: 32))
        let (none, nonce) = ([UInt8](), [UInt8](repeating: 0, count: 12))
        #expect(throws: CipherError.notAuthentic) {
            try StreamCipher.chacha20.open(none.span, key: key, nonce: nonce)
        }
    }

    /// The expected keys are of PyCryptodome's AES in ECB mode.
    @Test(
        arguments: [
            (5000, "550793086a7dbaea6829a93f420cc2a4a5892f0bf3ed7334d9c697b390ee9680"),
            (0, "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"),
        ] as [(UInt64, String)]
    )
    func aesKDFEncryptsBothHalvesAgainAndAgain(rounds: UInt64, expected: String) throws {
        let key = try SecretBytes([UInt8](0..<32))
        #expect(try AESKDF.deriveKey(from: key, seed: [UInt8](32..<64), rounds: rounds).hex == expected)
    }

    @Test func aesKDFEndsEarly() throws {
        let interruption = Interruption()
        interruption.raise()
        let key = try SecretBytes([UInt8](0..<32))
        #expect(throws: KeyDerivationError.cancelled) {
            try AESKDF.deriveKey(
                from: key,
                seed: [UInt8](32..<64),
                rounds: .max,
                interruption: interruption
            )
        }
    }
}

extension SecretBytes {
    fileprivate var hex: String { withSecretBytes { Hex.encode($0) } }
}
