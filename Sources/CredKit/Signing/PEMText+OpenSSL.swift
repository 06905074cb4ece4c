// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Keys as PEM, for OpenSSL's readers.
enum PEMText {
    /// The maximum length of a text, in bytes. Keys for RSA with 16,384 bits are shorter.
    private static let maximumByteCount = 32_768

    /// Calls `body` with a reader of a text in place; not at all if the text is too long.
    static func withReader(of text: some SecretInput, _ body: (OpaquePointer) -> Void) {
        text.withSecretBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress, 1...maximumByteCount ~= bytes.count,
                    let reader = unsafe BIO_new_mem_buf(base, Int32(bytes.count))
                else { return }
                defer { unsafe BIO_free(reader) }
                unsafe body(reader)
            }
        }
    }
}

/// Without this callback, OpenSSL would ask at the terminal for the passphrase of an encrypted key.
func refusePEMPassphrase(
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32,
    _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
