// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which names in a folder are regular files, as the folder itself has it: for very many paths of one folder, this takes a
/// tenth of the time that looking at each of them would.
struct DirectoryListing: Sendable {
    /// From so many paths on it is worth it.
    private static let pathsToList = 512

    /// What the paths begin with, up to the last slash.
    private let prefix: [UInt8]
    /// Hashes of the names, with a key that is new in each process. That two of 64 bits are alike by chance will not be
    /// seen, and would only have a file opened early.
    private let names: Set<Int>

    /// Lists the folder that the first and the last path are in, if it is on a disk; `nil` where that cannot be or is not
    /// worth it.
    init?(paths: ArraySlice<[UInt8]>) {
        guard paths.count >= Self.pathsToList, let first = paths.first, let last = paths.last else {
            return nil
        }
        prefix = Self.prefix(of: first)
        guard prefix == Self.prefix(of: last) else { return nil }
        let folder = prefix.isEmpty ? [UInt8(ascii: ".")] : prefix
        guard let names = Self.regularFiles(in: folder, atMost: 4 * paths.count) else { return nil }
        self.names = names
    }

    /// Whether a path is one of the regular files that were found. A no says nothing.
    func contains(_ path: [UInt8]) -> Bool {
        guard path.starts(with: prefix) else { return false }
        let name = path[prefix.count...]
        // What is in a folder of this one has a slash, which no name has.
        return unsafe name.withUnsafeBytes { unsafe names.contains(Self.hash($0)) }
    }

    private static func prefix(of path: [UInt8]) -> [UInt8] {
        path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? []
    }

    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: name)
        return hasher.finalize()
    }

    /// The names, as far as the first so many entries go.
    private static func regularFiles(in folder: [UInt8], atMost count: Int) -> Set<Int>? {
        guard let listing = unsafe opendir((folder + [0]).map { CChar(bitPattern: $0) }) else { return nil }
        defer { unsafe closedir(listing) }
        guard unsafe RegularFile.isOnDisk(dirfd(listing)) else { return nil }
        var names = Set<Int>(minimumCapacity: count / 4)
        for _ in 0..<count {
            guard let entry = unsafe readdir(listing) else { break }
            guard unsafe Int32(entry.pointee.d_type) == Int32(DT_REG) else { continue }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe hash(UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0 }))
            }
            names.insert(name)
        }
        return names
    }
}
