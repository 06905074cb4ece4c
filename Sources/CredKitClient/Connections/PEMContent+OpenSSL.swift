// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL
internal import CredKit

/// The contents of a PEM file, RFC 7468.
struct PEMContent {
    /// Whether the file has no bytes.
    private(set) var isEmpty: Bool
    /// The number of certificates.
    private(set) var certificateCount = 0
    /// The number of private keys, including encrypted ones.
    private(set) var keyCount = 0
    /// The number of encrypted private keys.
    private(set) var encryptedKeyCount = 0
    /// Whether a block has no end or invalid Base64, or is labelled as a certificate but is none.
    private(set) var isMalformed = false

    /// Parses the bytes of a file.
    init(_ pem: some SecretInput) {
        isEmpty = pem.withSecretBytes { $0.isEmpty }
        var content = self
        unsafe Self.withBIO(of: pem) { bio in unsafe content.readBlocks(bio) }
        self = content
        ERR_clear_error()
    }

    private mutating func readBlocks(_ bio: OpaquePointer) {
        while true {
            var label: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var data: UnsafeMutablePointer<UInt8>?
            var count = 0
            guard unsafe PEM_read_bio(bio, &label, &header, &data, &count) == 1 else {
                // At the end of a file there is no further block.
                if ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE { isMalformed = true }
                return
            }
            defer {
                unsafe CRYPTO_free(label, "", 0)
                unsafe CRYPTO_free(header, "", 0)
                unsafe CRYPTO_clear_free(data, count, "", 0)
            }
            guard let label = unsafe label, let data = unsafe data else { return }
            let name = unsafe String(cString: label)
            let headerText = unsafe header.map { unsafe String(cString: $0) } ?? ""
            if name.hasSuffix("PRIVATE KEY") {
                keyCount += 1
                if name.hasPrefix("ENCRYPTED") || headerText.contains("ENCRYPTED") { encryptedKeyCount += 1 }
            } else if name.hasSuffix("CERTIFICATE") {
                if unsafe Self.isCertificate(data, count, isTrusted: name.hasPrefix("TRUSTED")) {
                    certificateCount += 1
                } else {
                    isMalformed = true
                }
            }
        }
    }

    /// Whether the first key of one file belongs to the first certificate of another.
    static func isPair(certificate: some SecretInput, key: some SecretInput) -> Bool {
        defer { ERR_clear_error() }
        var isPair = false
        unsafe withBIO(of: certificate) { bio in
            guard let x509 = unsafe PEM_read_bio_X509_AUX(bio, nil, refusePassphrase, nil) else { return }
            defer { unsafe X509_free(x509) }
            unsafe withBIO(of: key) { bio in
                guard let pkey = unsafe PEM_read_bio_PrivateKey(bio, nil, refusePassphrase, nil) else {
                    return
                }
                defer { unsafe EVP_PKEY_free(pkey) }
                isPair = unsafe X509_check_private_key(x509, pkey) == 1
            }
        }
        return isPair
    }

    private static func isCertificate(
        _ data: UnsafeMutablePointer<UInt8>,
        _ count: Int,
        isTrusted: Bool
    ) -> Bool {
        var next: UnsafePointer<UInt8>? = unsafe UnsafePointer(data)
        let x509 = unsafe isTrusted ? d2i_X509_AUX(nil, &next, count) : d2i_X509(nil, &next, count)
        guard let x509 = unsafe x509 else { return false }
        unsafe X509_free(x509)
        return unsafe next == UnsafePointer(data + count)
    }

    private static func withBIO(of bytes: some SecretInput, _ body: (OpaquePointer) -> Void) {
        bytes.withSecretBytes { span in
            unsafe span.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress, let count = Int32(exactly: buffer.count),
                    let bio = unsafe BIO_new_mem_buf(base, count)
                else { return }
                defer { unsafe BIO_free(bio) }
                unsafe body(bio)
            }
        }
    }
}

/// Without this callback, OpenSSL would ask at the terminal for the passphrase of an encrypted key.
private func refusePassphrase(
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32,
    _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
