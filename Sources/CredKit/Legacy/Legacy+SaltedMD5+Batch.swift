// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Legacy.SaltedMD5 {
    /// The number of passwords per batch: enough for all lanes, with little memory.
    private static let passwordsAtOnce = 64

    /// Returns the hashes of many passwords, computed sixteen at once: for instance to find known passwords in a
    /// table with one salt for all users.
    ///
    /// With AVX-512 or AVX2, sixteen or more passwords take a fifth or less of the time of single calls.
    ///
    /// > Warning: See ``Legacy/SaltedMD5`` for how weak these hashes are. This function is as fast for an attacker
    /// > who has stolen the table as for its owner.
    ///
    /// - Parameter passwords: The passwords, any number of them. The bytes of text are its UTF-8, NUL included.
    /// - Returns: One hash per password, in their order; ``MessageDigest/hex`` is the text that tables store.
    public func hashes(of passwords: some Collection<some SecretInput>) -> [MessageDigest<16>] {
        [MessageDigest<16>](capacity: passwords.count) { hashes in
            var rest = passwords[...]
            while !rest.isEmpty {
                let first = rest.prefix(Self.passwordsAtOnce)
                hash(first, into: &hashes)
                rest = rest.dropFirst(first.count)
            }
        }
    }

    private func hash(
        _ passwords: some Collection<some SecretInput>,
        into hashes: inout OutputSpan<MessageDigest<16>>
    ) {
        let byteCount = passwords.reduce(0) { $0 + salt.count + $1.withSecretBytes { $0.count } }
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { memory in
            defer { unsafe Wiping.wipe(memory) }
            var ends: [Int] = []
            ends.reserveCapacity(passwords.count)
            var rest = UnsafeMutableRawBufferPointer(memory)
            for password in passwords {
                if position == .prefix { unsafe rest.take(salt.span) }
                password.withSecretBytes { unsafe rest.take($0) }
                if position == .suffix { unsafe rest.take(salt.span) }
                ends.append(byteCount - rest.count)
            }
            if rounds == 1 {
                unsafe MD5Batch().hash(memory.span, endingAt: ends.span, into: &hashes)
            } else {
                unsafe repeatedly(memory.span, endingAt: ends.span, into: &hashes)
            }
        }
    }

    /// Hashes in several rounds, each of which hashes the hexadecimal digits of the round before.
    private func repeatedly(
        _ bytes: Span<UInt8>,
        endingAt ends: Span<Int>,
        into hashes: inout OutputSpan<MessageDigest<16>>
    ) {
        let count = ends.count
        let digitCount = 2 * Legacy.MD5.digestByteCount
        let digitEnds = (1...max(1, count)).map { $0 * digitCount }
        unsafe withUnsafeTemporaryAllocation(of: MessageDigest<16>.self, capacity: count) { digests in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * digitCount) { digits in
                let digestBytes = UnsafeMutableRawBufferPointer(digests)
                defer {
                    unsafe Wiping.wipe(digits)
                    unsafe digestBytes.withMemoryRebound(to: UInt8.self) { unsafe Wiping.wipe($0) }
                }
                var output = unsafe OutputSpan(buffer: digests, initializedCount: 0)
                MD5Batch().hash(bytes, endingAt: ends, into: &output)
                _ = unsafe output.finalize(for: digests)
                for round in 1..<rounds {
                    var text = unsafe OutputSpan(buffer: digits, initializedCount: 0)
                    unsafe digestBytes.withMemoryRebound(to: UInt8.self) {
                        unsafe Hex.encode($0.span, into: &text)
                    }
                    _ = unsafe text.finalize(for: digits)
                    if round == rounds - 1 {
                        unsafe MD5Batch().hash(digits.span, endingAt: digitEnds.span, into: &hashes)
                    } else {
                        var output = unsafe OutputSpan(buffer: digests, initializedCount: 0)
                        unsafe MD5Batch().hash(digits.span, endingAt: digitEnds.span, into: &output)
                        _ = unsafe output.finalize(for: digests)
                    }
                }
            }
        }
    }
}
