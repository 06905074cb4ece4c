// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Collection<UInt8> {
    /// Calls `body` with the bytes in one contiguous piece: in place where the collection keeps them so,
    /// otherwise over a copy.
    ///
    /// This is the one door from collections to the span-based core.
    @inlinable
    package func withContiguousSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = withContiguousStorageIfAvailable { buffer -> Swift.Result<Result, Failure> in
            // The closure cannot carry a typed throw, so the outcome travels as a value.
            do throws(Failure) {
                return .success(try body(unsafe buffer.span))
            } catch {
                return .failure(error)
            }
        }
        if let outcome {
            return try outcome.get()
        }
        return try body(Array(self).span)
    }
}
