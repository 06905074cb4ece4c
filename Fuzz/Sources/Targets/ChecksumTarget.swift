// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitCommand
@testable import CredKitTerminal

extension FuzzTarget {
    /// Feeds checksum files and file names: what is written is read.
    static let checksums = FuzzTarget("checksums") { bytes in
        var input = FuzzInput(bytes)
        let options = input.byte()
        let (algorithm, count) = options & 1 == 0 ? ("MD5", 16) : ("SHA256", 32)
        var parser = ChecksumLineParser(algorithm: algorithm, digestByteCount: count)
        for line in input.remaining.split(separator: 10, omittingEmptySubsequences: false) {
            guard let entry = parser.parse(line) else { continue }
            try requireEqual(entry.digest.count, count, "a digest has its size")
            try require(!entry.name.contains(0), "a name has no NUL")
            try require(entry.name.count <= line.count, "a name is a part of the line")
        }
        let name = input.remaining.filter { $0 != 0 }
        guard !name.isEmpty else { return }
        try requireEqual(
            FileNameEscaping.escape(name).flatMap { FileNameEscaping.unescape($0[...]) } ?? name,
            name,
            "an escaped name is the same name"
        )
        try ChecksumProperties.checkWritten(
            name,
            algorithm: algorithm,
            digest: Array(repeating: options, count: count)
        )
    }
}

private enum ChecksumProperties {
    static func checkWritten(_ name: [UInt8], algorithm: String, digest: [UInt8]) throws {
        for style in [ChecksumLine.Style.text, .binary, .tag] {
            let line = ChecksumLine(
                algorithm: algorithm,
                digest: Hex.encode(digest),
                file: FileArgument(bytes: name)
            )
            var text: [UInt8] = []
            line.write(style, to: &text)
            try require(text.last == 10 && !text.dropLast().contains(10), "a checksum stands on one line")
            var parser = ChecksumLineParser(algorithm: algorithm, digestByteCount: digest.count)
            let entry = parser.parse(text.dropLast())
            try requireEqual(entry?.digest, digest, "a written digest is read: \(style)")
            try requireEqual(entry?.name, name, "a written name is read: \(style)")
        }
    }
}
