// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// The bytes in an ordinary array, for digests that are stored in a table anyway.
    var copiedBytes: [UInt8] { withSecretBytes { bytes in bytes.indices.map { bytes[$0] } } }

    /// Creates a secret of exactly `count` bytes that `body` fills in.
    ///
    /// - Parameters:
    ///   - count: The number of bytes, at least 1.
    ///   - outOfMemory: The error to throw if there is not enough memory.
    ///   - body: Fills in the bytes, which are initially 0; or returns the error that prevented it.
    /// - Returns: The secret.
    /// - Throws: `outOfMemory`, or the error that `body` returned.
    static func filled<Failure: Error>(
        count: Int,
        outOfMemory: Failure,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> Failure?
    ) throws(Failure) -> SecretBytes {
        var failure: Failure?
        let bytes: SecretBytes
        do throws(SecretMemoryError) {
            bytes = try SecretBytes(capacity: count) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                    unsafe buffer.initialize(repeating: 0)
                    failure = unsafe body(buffer)
                    initializedCount = count
                }
            }
        } catch {
            throw outOfMemory
        }
        if let failure { throw failure }
        return bytes
    }
}
