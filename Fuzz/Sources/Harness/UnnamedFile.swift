// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file in memory without a name, for parsers that open a path.
final class UnnamedFile {
    private let descriptor: Int32

    init(_ bytes: [UInt8]) throws {
        // O_TMPFILE, which Swift does not import.
        descriptor = open("/dev/shm", O_RDWR | O_CLOEXEC | 0o20_000_000 | O_DIRECTORY, 0o600)
        try require(descriptor >= 0, "there is a folder in memory")
        try requireEqual(write(descriptor, bytes, bytes.count), bytes.count, "the file takes the input")
    }

    deinit { close(descriptor) }

    var path: String { "/proc/self/fd/\(descriptor)" }

    func truncate() throws { try requireEqual(ftruncate(descriptor, 0), 0, "a file can shrink") }
}
