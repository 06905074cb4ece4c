// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Collection<UInt8> {
    /// Calls `body` with the bytes in one contiguous piece: in place if the collection stores them that way,
    /// otherwise in a copy.
    ///
    /// All conversions from collections to the span-based core use this function.
    @inlinable
    package func withContiguousSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = withContiguousStorageIfAvailable { buffer -> Swift.Result<Result, Failure> in
            // The closure cannot throw a typed error, so it returns the outcome as a value.
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

extension [UInt8] {
    /// Appends bytes from where they are. Appending an array or a string also counts a reference to it.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension String {
    /// Creates a string of ASCII characters. A slice of an array would count a reference to it.
    @inline(__always)
    init(ascii bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
