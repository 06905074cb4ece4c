// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CCredKitOpenSSL
@testable import CredKit
@testable import CredKitKeychain

/// Writes keyring files as libsecret does, with one iteration and a fixed salt.
struct KeyringWriter {
    static let password = "test"

    private let key: SecretBytes
    private let codeKey: HMAC<SHA256>.Key
    private let salt = Array(repeating: UInt8(9), count: 32)
    private let vector = Array(repeating: UInt8(6), count: 16)

    init() throws {
        key = try PBKDF2.deriveKey(
            from: SecretBytes(Self.password),
            salt: salt,
            function: .sha256,
            iterations: 1,
            count: AESCBC.keyByteCount
        )
        codeKey = HMAC<SHA256>.Key(key)
    }

    /// Returns a keyring of items, each with its plaintext and the attributes that other programs search by.
    func file(_ items: [(plaintext: [UInt8], attributes: [String: String])]) -> [UInt8] {
        let tuple = GVariantWriter.tuple([
            .number(UInt64(salt.count), byteCount: 4), .bytes(salt), .number(1, byteCount: 4),
            .number(1_735_689_600, byteCount: 8), .number(1, byteCount: 4),
            .bytes(GVariantWriter.array(items.map { sealed($0.plaintext, $0.attributes) })),
        ])
        return LibsecretKeyringFile.magic + [1, 0] + tuple
    }

    private func sealed(_ plaintext: [UInt8], _ attributes: [String: String]) -> [UInt8] {
        let entries = attributes.map { name, value in
            GVariantWriter.tuple([.bytes(GVariantWriter.string(name)), .bytes(code(Array(value.utf8)))])
        }
        let message = encrypted(plaintext) + vector
        return GVariantWriter.tuple([.bytes(GVariantWriter.array(entries)), .bytes(message + code(message))])
    }

    private func code(_ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message.span, using: codeKey))
    }

    private func encrypted(_ plaintext: [UInt8]) -> [UInt8] {
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        var output = [UInt8](repeating: 0, count: plaintext.count + 32)
        var (count, last) = (Int32(0), Int32(0))
        EVP_EncryptInit_ex(cipher, EVP_aes_128_cbc(), nil, key.copy, vector)
        output.withUnsafeMutableBufferPointer { output in
            EVP_EncryptUpdate(cipher, output.baseAddress, &count, plaintext, Int32(plaintext.count))
            EVP_EncryptFinal_ex(cipher, output.baseAddress.map { $0 + Int(count) }, &last)
        }
        return Array(output.prefix(Int(count + last)))
    }
}
