// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// A secret of exactly `count` bytes, more than 0, that `body` fills in.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - outOfMemory: What is thrown if there is no memory for it.
    ///   - body: Fills the bytes in, which are 0 before; or answers why it cannot.
    /// - Returns: The secret.
    /// - Throws: `outOfMemory`, or what `body` answered.
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
