// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension MessageSignature {
    /// A public key of OpenSSL. Nothing changes it, and OpenSSL counts its references atomically.
    @safe
    final class PublicKey: @unchecked Sendable {
        private let key: OpaquePointer

        init?(ed25519 bytes: [UInt8]) {
            guard let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
            else {
                _ = OpenSSLErrors.takeReason()
                return nil
            }
            unsafe self.key = key
        }

        init?(pem: String) {
            var key: OpaquePointer?
            unsafe PEMText.withReader(of: pem, label: "PUBLIC KEY") { reader in
                unsafe key = PEM_read_bio_PUBKEY(reader, nil, refusePEMPassphrase, nil)
            }
            _ = OpenSSLErrors.takeReason()
            guard let key = unsafe key else { return nil }
            unsafe self.key = key
        }

        /// A key for ECDSA; `nil` if the point, which is not compressed, is not on the curve.
        init?(curve: String, point: [UInt8]) {
            defer { _ = OpenSSLErrors.takeReason() }
            guard let key = unsafe credkit_ec_public_key(curve, point, point.count) else { return nil }
            unsafe self.key = key
        }

        /// A key for RSA.
        init?(modulus: [UInt8], exponent: [UInt8]) {
            defer { _ = OpenSSLErrors.takeReason() }
            let counts = (Int32(clamping: modulus.count), Int32(clamping: exponent.count))
            guard let key = unsafe credkit_rsa_public_key(modulus, counts.0, exponent, counts.1) else {
                return nil
            }
            unsafe self.key = key
        }

        deinit { unsafe EVP_PKEY_free(key) }

        /// Returns whether the kind, the curve, the size and the restrictions of the key are those of an algorithm.
        func isUsable(for algorithm: Algorithm) -> Bool {
            let kind = unsafe EVP_PKEY_get_id(key)
            switch algorithm {
            case .hmacSHA256: return false
            case .ed25519: return kind == EVP_PKEY_ED25519 && Ed25519.isPublicKey(rawBytes)
            case .ecdsaP256SHA256: return kind == EVP_PKEY_EC && curve == "prime256v1"
            case .ecdsaP384SHA384: return kind == EVP_PKEY_EC && curve == "secp384r1"
            case .rsaPSSSHA512:
                // A key of the second kind may be restricted to another function or a longer salt.
                return (kind == EVP_PKEY_RSA || kind == EVP_PKEY_RSA_PSS) && hasUsableSize
                    && hasUsableExponent && canVerifyPSS
            case .rsaPKCS1SHA256: return kind == EVP_PKEY_RSA && hasUsableSize && hasUsableExponent
            }
        }

        /// Whether a key for RSA is neither weak nor so large that verifying takes long.
        private var hasUsableSize: Bool { unsafe 2_048...16_384 ~= EVP_PKEY_get_bits(key) }

        /// Whether the exponent of a key for RSA is odd, at least 3 and at most 64 bits long. With 1, everything is its own
        /// signature.
        private var hasUsableExponent: Bool {
            var exponent: OpaquePointer?
            defer { unsafe BN_free(exponent) }
            guard unsafe EVP_PKEY_get_bn_param(key, "e", &exponent) == 1, let exponent = unsafe exponent
            else {
                _ = OpenSSLErrors.takeReason()
                return false
            }
            return unsafe BN_is_odd(exponent) == 1 && 2...64 ~= BN_num_bits(exponent)
        }

        /// The bytes of a key for Ed25519.
        private var rawBytes: [UInt8] {
            var bytes = [UInt8](repeating: 0, count: Ed25519.keyByteCount)
            var count = bytes.count
            let isRead = unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1
            _ = OpenSSLErrors.takeReason()
            return isRead ? bytes : []
        }

        private var curve: String? {
            var name = [CChar](repeating: 0, count: 64)
            var count = 0
            let isNamed = unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1
            _ = OpenSSLErrors.takeReason()
            guard isNamed, count < name.count else { return nil }
            return String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        func isValid(_ signature: Span<UInt8>, of base: Span<UInt8>, algorithm: Algorithm) -> Bool {
            let signature = unsafe signature.withUnsafeBufferPointer { unsafe Array($0) }
            let converted: [UInt8]? =
                switch algorithm {
                case .ecdsaP256SHA256: ECDSASignature.der(of: signature, integerByteCount: 32)
                case .ecdsaP384SHA384: ECDSASignature.der(of: signature, integerByteCount: 48)
                default: signature
                }
            guard let converted else { return false }
            return isValid(derSignature: converted, of: base, algorithm: algorithm)
        }

        /// Verifies a signature, which is DER for ECDSA. OpenSSL refuses other encodings of the same numbers.
        func isValid(derSignature signature: [UInt8], of base: Span<UInt8>, algorithm: Algorithm) -> Bool {
            defer { _ = OpenSSLErrors.takeReason() }
            switch algorithm {
            case .hmacSHA256: return false
            case .ed25519: return unsafe verify(signature, base, nil)
            case .ecdsaP256SHA256, .rsaPKCS1SHA256: return unsafe verify(signature, base, EVP_sha256())
            case .ecdsaP384SHA384: return unsafe verify(signature, base, EVP_sha384())
            case .rsaPSSSHA512:
                return unsafe verify(signature, base, EVP_sha512(), pssSaltByteCount: Self.pssSaltByteCount)
            }
        }

        private func verify(
            _ signature: [UInt8],
            _ base: Span<UInt8>,
            _ function: OpaquePointer?,
            pssSaltByteCount: Int32? = nil
        ) -> Bool {
            unsafe withContext(function, pssSaltByteCount) { context in
                unsafe base.withUnsafeBufferPointer { base in
                    unsafe EVP_DigestVerify(context, signature, signature.count, base.baseAddress, base.count)
                        == 1
                }
            }
        }

        /// Whether OpenSSL accepts the parameters of the algorithm for this key.
        private var canVerifyPSS: Bool {
            defer { _ = OpenSSLErrors.takeReason() }
            return unsafe withContext(EVP_sha512(), Self.pssSaltByteCount) { _ in true }
        }

        private static let pssSaltByteCount: Int32 = 64

        /// Calls `body` with a context for verifying; returns `false` if the key does not allow the parameters. The salt of
        /// RSASSA-PSS has exactly the given length.
        private func withContext(
            _ function: OpaquePointer?,
            _ pssSaltByteCount: Int32?,
            _ body: (OpaquePointer) -> Bool
        ) -> Bool {
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            var parameters: OpaquePointer?
            guard unsafe EVP_DigestVerifyInit(context, &parameters, function, nil, key) == 1 else {
                return false
            }
            if let pssSaltByteCount {
                guard unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1,
                    unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(parameters, function) == 1,
                    unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, pssSaltByteCount) == 1
                else { return false }
            }
            return unsafe body(context)
        }
    }
}

/// The two forms of ECDSA signatures: HTTP has two integers of a fixed length (RFC 9421 §3.3.4), OpenSSL expects DER.
enum ECDSASignature {
    /// Converts a signature; the result is `nil` if it has the wrong length.
    ///
    /// - Parameters:
    ///   - signature: Two integers, the most significant byte first.
    ///   - integerByteCount: The length of each, at most 60, so that all lengths in the result are single bytes.
    /// - Returns: The DER form.
    static func der(of signature: [UInt8], integerByteCount: Int) -> [UInt8]? {
        guard signature.count == 2 * integerByteCount, integerByteCount <= 60 else { return nil }
        let integers =
            integer(signature[..<integerByteCount]) + integer(signature[integerByteCount...])
        return [0x30, UInt8(truncatingIfNeeded: integers.count)] + integers
    }

    /// Returns the shortest form of an integer, in which a set first bit would mean that it is negative.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
    }
}
