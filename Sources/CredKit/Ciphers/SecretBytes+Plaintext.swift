// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// Creates a secret that a cipher writes: `body` returns the number of bytes, or `nil` if it fails.
    static func plaintext(
        capacity: Int,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int?
    ) throws(CipherError) -> SecretBytes {
        var hasFailed = false
        let bytes: SecretBytes
        do throws(SecretMemoryError) {
            bytes = try SecretBytes(capacity: capacity) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                    let count = unsafe body(buffer)
                    hasFailed = count == nil
                    initializedCount = count ?? 0
                }
            }
        } catch {
            throw .outOfMemory
        }
        guard !hasFailed else { throw .outOfMemory }
        return bytes
    }
}
