// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The blocks of a database. The last one is empty, and nothing may follow it.
enum KDBXBlocks {
    private static let codeByteCount = 32
    private static let malformed = KeychainError.damaged(
        "the database is damaged: one of its blocks is not authentic, or something follows the last one"
    )

    /// Returns the encrypted bytes of the blocks of version 4, of each of which the number, the size and the bytes are
    /// authenticated.
    static func authentic(
        _ bytes: [UInt8],
        _ reader: inout ByteReader,
        _ keys: KDBXKeys
    ) throws(KeychainError) -> [UInt8] {
        var encrypted: [UInt8] = []
        encrypted.reserveCapacity(bytes.count - reader.position)
        for number in UInt64(0)... {
            let code = try reader.read(codeByteCount, of: bytes.span)
            let count = try reader.number(UInt32.self, of: bytes.span)
            let block = try reader.skip(Int(count), of: bytes.span)
            var computed = HMAC<SHA256>(key: try keys.codeKey(block: number))
            let head = littleEndian(number) + littleEndian(count)
            computed.update(head.span)
            computed.update(bytes.span.extracting(block))
            guard ConstantTime.areEqual(computed.finalizeAndWipe(), code) else { throw malformed }
            if block.isEmpty { break }
            encrypted += bytes[block]
        }
        guard reader.position == bytes.count else { throw malformed }
        return encrypted
    }

    /// Returns the bytes of the decrypted blocks of version 3, each of which has its number and its SHA-256.
    static func hashed(_ bytes: Span<UInt8>) throws(KeychainError) -> SecretBytes {
        var blocks: [Range<Int>] = []
        var reader = ByteReader(of: "database")
        for number in UInt32(0)... {
            guard try reader.number(UInt32.self, of: bytes) == number else { throw malformed }
            let digest = try reader.read(codeByteCount, of: bytes)
            let block = try reader.skip(Int(reader.number(UInt32.self, of: bytes)), of: bytes)
            if block.isEmpty {
                guard digest.allSatisfy({ $0 == 0 }) else { throw malformed }
                break
            }
            guard ConstantTime.areEqual(SHA256.hash(wiping: bytes.extracting(block)), digest) else {
                throw malformed
            }
            blocks.append(block)
        }
        guard reader.position == bytes.count else { throw malformed }
        let count = blocks.reduce(0) { $0 + $1.count }
        return try convertingMemory(
            SecretBytes(capacity: count) { output in
                for block in blocks { output.append(contentsOf: bytes.extracting(block)) }
            }
        )
    }

    /// Returns the bytes of a number, the lowest first.
    static func littleEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

extension DigestAlgorithm {
    /// Returns the digest of secret bytes, which are wiped from the function's state.
    static func hash(wiping bytes: Span<UInt8>) -> Digest {
        var function = Self()
        function.update(bytes)
        return function.finalizeAndWipe()
    }
}
