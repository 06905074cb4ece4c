// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CConstantTime
internal import Glibc

/// Memory that can be marked as secret.
final class Memory {
    let start: UnsafeMutablePointer<UInt8>
    let count: Int

    init(count: Int) {
        self.count = count
        start = .allocate(capacity: count)
        start.initialize(repeating: 0, count: count)
    }

    convenience init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        self.init(count: bytes.count)
        for (index, byte) in bytes.enumerated() { start[index] = byte }
    }

    convenience init(randomCount count: Int) {
        self.init(count: count)
        ct_random_fill(start, count)
    }

    deinit {
        start.deallocate()
    }

    var buffer: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(start: start, count: count) }
    var bytes: [UInt8] { Array(buffer) }

    /// The first `count` bytes.
    func withSpan<Result>(_ count: Int, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try body(UnsafeBufferPointer(start: start, count: count).span)
    }

    func withSpan<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try withSpan(count, body)
    }

    /// Returns the number of bytes written.
    func write(_ body: (inout OutputSpan<UInt8>) throws -> Void) rethrows -> Int {
        var output = OutputSpan(buffer: buffer, initializedCount: 0)
        try body(&output)
        return output.finalize(for: buffer)
    }

    func makeSecret() { makeSecret(count) }

    func makeSecret(_ count: Int) { ct_make_secret(start, count) }

    func makePublic() { ct_make_public(start, count) }

    func makePublic(at index: Int) { ct_make_public(start + index, 1) }

    /// The number of bytes, from the first on, that depend on a secret.
    var secretCount: Int { ct_secret_prefix(start, count) }
}

/// Ends the process with a message.
func complain(_ message: String, status: Int32 = 1) -> Never {
    print("constant-time:", message)
    exit(status)
}
