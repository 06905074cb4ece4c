// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Glibc

/// What changes when a file is replaced or written: its identity, size and times.
struct FileStamp: Sendable, Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let times: [Int]

    /// Reads the stamp of the file that a name, or the link of this name, refers to; `nil` if there is none.
    init?(_ file: FileArgument) {
        var status = stat()
        guard stat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        times = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }

    /// Returns the stamps of files by the bytes of their names.
    static func all(of files: [FileArgument]) -> [[UInt8]: FileStamp] {
        var stamps: [[UInt8]: FileStamp] = [:]
        for file in files { stamps[file.bytes] = FileStamp(file) }
        return stamps
    }
}
