// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitZlib
internal import CredKit

/// Decompresses gzip ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952)) with zlib, which is loaded on first use.
enum Gzip {
    /// Decompresses secret bytes into guarded memory alone. They end with their size, so that one call suffices.
    ///
    /// - Parameters:
    ///   - bytes: The compressed bytes.
    ///   - limit: The maximum size of the result in bytes, less than 4 GiB.
    /// - Returns: The result.
    /// - Throws: ``KeychainError``; ``KeychainError/overLimit``, ``KeychainError/unsupported`` without zlib.
    static func decompress(_ bytes: Span<UInt8>, limit: Int) throws(KeychainError) -> SecretBytes {
        let damaged = KeychainError.damaged("the database is damaged: it cannot be decompressed")
        var reader = ByteReader(at: bytes.count - 4, of: "database")
        let count = Int(try reader.number(UInt32.self, of: bytes))
        guard count <= limit else {
            throw .overLimit("the database has more than \(limit >> 20) MiB when it is decompressed")
        }
        guard count > 0 else { throw damaged }
        var result = CREDKIT_GUNZIP_MALFORMED
        let output = try convertingMemory(
            SecretBytes(capacity: count) { output in
                unsafe output.withUnsafeMutableBufferPointer { target, initializedCount in
                    result = unsafe bytes.withUnsafeBufferPointer { source in
                        unsafe credkit_gunzip(source.baseAddress, source.count, target.baseAddress, count)
                    }
                    if result == CREDKIT_GUNZIP_DONE { initializedCount = count }
                }
            }
        )
        switch result {
        case CREDKIT_GUNZIP_DONE: return output
        case CREDKIT_GUNZIP_OUT_OF_MEMORY: throw .outOfMemory
        case CREDKIT_GUNZIP_NO_LIBRARY:
            throw .unsupported(
                "the database is compressed, and zlib (libz.so.1) is not installed: install the package zlib1g"
            )
        default: throw damaged
        }
    }
}
