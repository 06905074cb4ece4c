// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file on a disk that is read from its beginning to its end, with few system calls.
struct RegularFile {
    private var descriptor: Int32
    /// The size that it had when it was looked at.
    private let byteCount: Int?
    private var readCount = 0

    /// Beyond this size the system is told that all of the file will be read.
    private static let byteCountToAdvise = 1 << 20

    /// What the names of descriptors begin with: which file such a one is depends on which others are open.
    private static let descriptorPrefixes = ["/proc/", "/dev/fd/", "/dev/std"].map { Array($0.utf8) }

    /// What a path leads to, as far as it can be known without opening it.
    enum Look {
        /// It can be opened and read at any time without anybody noticing: a regular file, whose size may be known, or a
        /// folder, which cannot be read.
        case readable(byteCount: Int?)
        /// A regular file of a folder that was listed.
        case listed(DirectoryListing)
        /// It leads nowhere.
        case failure(FileError)
        /// A pipe, a device, or something that may be one.
        case unknown
    }

    static func look(at path: [UInt8]) -> Look {
        guard !isDescriptor(path) else { return .unknown }
        var status = stat()
        guard unsafe withPath(path, { unsafe stat($0, &status) }) == 0 else {
            return .failure(FileError(.open, errorNumber: errno))
        }
        if status.st_mode & S_IFMT == S_IFDIR { return .readable(byteCount: nil) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .unknown }
        // What is on no disk and takes no room may be made while it is read, as under /proc and /sys, or block, as
        // /proc/kmsg does. In memory and on other computers files take room, unless they are empty or all hole.
        guard status.st_blocks > 0 || isOnDisk(status) else { return .unknown }
        return .readable(byteCount: max(0, Int(status.st_size)))
    }

    private static func isDescriptor(_ path: [UInt8]) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        // More slashes at the beginning are as good as one.
        let path = path[(path.firstIndex { $0 != UInt8(ascii: "/") } ?? path.endIndex)...]
        return descriptorPrefixes.contains { path.starts(with: $0.dropFirst()) }
    }

    /// Whether an open file or folder is on a disk.
    static func isOnDisk(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && isOnDisk(status)
    }

    private static func isOnDisk(_ status: stat) -> Bool {
        let deviceMajor = (status.st_dev >> 8) & 0xFFF | (status.st_dev >> 32) & ~0xFFF
        return deviceMajor != 0
    }

    /// Opens the file that was looked at.
    init(path: [UInt8], look: Look) throws(FileError) {
        var byteCount: Int?
        var listing: DirectoryListing?
        switch look {
        case .readable(let count): byteCount = count
        case .listed(let folder): listing = folder
        case .failure(let error): throw error
        case .unknown: break
        }
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
        descriptor = unsafe Self.withPath(path) { path in
            if let listing { return unsafe listing.open(path, flags) }
            return unsafe open(path, flags)
        }
        guard descriptor >= 0 else { throw FileError(.open, errorNumber: errno) }
        self.byteCount = byteCount
        if let byteCount, byteCount > Self.byteCountToAdvise {
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        }
    }

    /// Fills memory with the next bytes, and returns how many they are: fewer than there is room for only at the end of the
    /// file, which is then closed.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = unsafe Glibc.read(
                descriptor,
                buffer.baseAddress.map { unsafe $0 + filled },
                buffer.count - filled
            )
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError(.read, errorNumber: errno)
            }
            filled += count
            readCount += count
            // A read that stops where the file did when it was looked at has come to its end. One that stops elsewhere is
            // followed by another, which finds the end itself. The size is unknown only on disks, where a read stops
            // nowhere but at the end.
            if count == 0 || (filled < buffer.count && readCount == byteCount ?? readCount) {
                close()
                break
            }
        }
        return filled
    }

    mutating func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Calls `body` with a path as the system wants it.
    private static func withPath(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: path.count + 1) { buffer in
            unsafe path.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            unsafe buffer.initializeElement(at: path.count, to: 0)
            guard let base = buffer.baseAddress else { return -1 }
            return unsafe body(base)
        }
    }
}
