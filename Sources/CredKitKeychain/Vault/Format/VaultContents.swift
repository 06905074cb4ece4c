// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The parsed parts of a whole file.
struct VaultContents: Sendable {
    let header: VaultHeader
    /// The header as stored in the file.
    let headerBytes: [UInt8]
    /// The encrypted items.
    let sealed: [UInt8]

    init(header: VaultHeader, headerBytes: [UInt8], sealed: [UInt8]) {
        self.header = header
        self.headerBytes = headerBytes
        self.sealed = sealed
    }

    /// Parses a whole file.
    init(wholeFile bytes: [UInt8]) throws(KeychainError) {
        let prefix = Array(bytes.prefix(VaultHeader.prefixByteCount))
        let count = try VaultHeader.byteCount(ofFileBeginning: prefix.span)
        guard bytes.count >= count else { throw .damaged("the archive is damaged: it is truncated") }
        let headerBytes = Array(bytes[..<count])
        let header = try VaultHeader(headerBytes.span)
        guard bytes.count - count == header.sealedByteCount else {
            throw .damaged("the archive is damaged: it is truncated, or data follows its end")
        }
        self.init(header: header, headerBytes: headerBytes, sealed: Array(bytes[count...]))
    }
}
