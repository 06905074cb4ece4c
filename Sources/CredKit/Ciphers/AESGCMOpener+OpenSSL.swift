// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension AESGCM {
    /// Decrypts one message under a key that was prepared before the message was there, for example while a file is read.
    ///
    /// It holds the expanded key in memory of OpenSSL, which wipes it at the end.
    @safe
    package final class Opener {
        private let cipher: OpaquePointer

        /// Expands a key; returns `nil` if there is no memory.
        ///
        /// - Parameter key: The key, 32 bytes.
        package init?(key: SecretBytes) {
            precondition(key.count == keyByteCount, "The key has the wrong size.")
            guard let cipher = unsafe EVP_CIPHER_CTX_new() else { return nil }
            unsafe self.cipher = cipher
            let isReady = key.withSecretBytes { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe EVP_DecryptInit_ex(cipher, algorithm, nil, key.baseAddress, nil) == 1
                }
            }
            guard isReady else {
                _ = OpenSSLErrors.takeReason()
                return nil
            }
        }

        deinit { unsafe EVP_CIPHER_CTX_free(cipher) }

        /// Decrypts sealed bytes if they are authentic, in the ordinary memory where they are: for content that the program
        /// hands on in ordinary memory anyway.
        ///
        /// - Parameters:
        ///   - bytes: The encrypted bytes, followed by the tag, with anything before them. Afterwards, the plaintext in their
        ///     place; nothing if they are not authentic.
        ///   - start: Where the encrypted bytes begin.
        ///   - nonce: The nonce that the bytes were sealed with, 12 bytes.
        ///   - context: The context that the bytes were sealed with.
        /// - Returns: Whether the bytes are authentic.
        package func openInPlace(
            _ bytes: inout [UInt8],
            from start: Int,
            nonce: [UInt8],
            context: [UInt8]
        ) -> Bool {
            var isAuthentic = false
            if bytes.count - start >= tagByteCount {
                isAuthentic = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                    let output = unsafe UnsafeMutableBufferPointer(rebasing: bytes[start...])
                    let sealed = UnsafeBufferPointer(output)
                    return unsafe decrypt(sealed, nonce: nonce, context: context, into: output)
                }
            }
            guard isAuthentic else {
                _ = OpenSSLErrors.takeReason()
                bytes = []
                return false
            }
            bytes.removeLast(tagByteCount)
            return true
        }

        func decrypt(
            _ sealed: UnsafeBufferPointer<UInt8>,
            nonce: [UInt8],
            context: [UInt8],
            into output: UnsafeMutableBufferPointer<UInt8>
        ) -> Bool {
            precondition(nonce.count == nonceByteCount, "The nonce has the wrong size.")
            let encryptedCount = sealed.count - tagByteCount
            // OpenSSL reads the tag only, although the type of the parameter says otherwise.
            let tag = unsafe UnsafeMutableRawPointer(
                mutating: sealed.baseAddress?.advanced(by: encryptedCount)
            )
            var count: Int32 = 0
            return unsafe EVP_DecryptInit_ex(cipher, nil, nil, nil, nonce) == 1
                && EVP_DecryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
                && EVP_DecryptUpdate(
                    cipher,
                    output.baseAddress,
                    &count,
                    sealed.baseAddress,
                    Int32(encryptedCount)
                ) == 1
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), tag) == 1
                // The plaintext is authentic only if this call succeeds.
                && EVP_DecryptFinal_ex(cipher, output.baseAddress?.advanced(by: encryptedCount), &count) == 1
        }
    }
}
