// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file on a disk that is read from its beginning to its end, with few system calls.
struct RegularFile {
    private var descriptor: Int32
    /// The size of the file when it was looked at.
    private let byteCount: Int?
    private var readCount = 0

    /// Above this size the system is advised that the whole file will be read.
    private static let byteCountToAdvise = 1 << 20

    /// Prefixes of the paths of file descriptors. The file behind such a path depends on which other files are open.
    private static let descriptorPrefixes = ["/proc/", "/dev/fd/", "/dev/std"].map { Array($0.utf8) }

    /// The kind of file that a path leads to, as far as it can be determined without opening it.
    enum Look {
        /// Opening and reading it has no side effects and does not block: a regular file, whose size may be known, or
        /// a folder, which cannot be read.
        case readable(byteCount: Int?)
        /// A regular file of a folder that was listed.
        case listed(DirectoryListing)
        /// The path does not lead to a file.
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
        // A file that is not on a disk and takes no space may be generated while it is read, as under /proc and /sys,
        // or block, as /proc/kmsg does. In memory and on other computers, files take space unless they are empty or
        // one hole.
        guard status.st_blocks > 0 || isOnDisk(status) else { return .unknown }
        return .readable(byteCount: max(0, Int(status.st_size)))
    }

    private static func isDescriptor(_ path: [UInt8]) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        // Several slashes at the beginning are equivalent to one.
        let path = path[(path.firstIndex { $0 != UInt8(ascii: "/") } ?? path.endIndex)...]
        return descriptorPrefixes.contains { path.starts(with: $0.dropFirst()) }
    }

    /// Returns whether an open file or folder is on a disk.
    static func isOnDisk(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && isOnDisk(status)
    }

    private static func isOnDisk(_ status: stat) -> Bool {
        let deviceMajor = (status.st_dev >> 8) & 0xFFF | (status.st_dev >> 32) & ~0xFFF
        return deviceMajor != 0
    }

    /// Opens a file that was looked at.
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

    /// Fills memory with the next bytes, and returns their number. It is less than the size of the memory only at the
    /// end of the file, which is then closed.
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
            // A short read that ends at the known size has reached the end of the file. After one that ends
            // elsewhere, the next read finds the end. The size is unknown only on disks, where a read is short only
            // at the end.
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

    /// Calls `body` with a path as a C string.
    private static func withPath(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: path.count + 1) { buffer in
            unsafe path.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            unsafe buffer.initializeElement(at: path.count, to: 0)
            guard let base = buffer.baseAddress else { return -1 }
            return unsafe body(base)
        }
    }
}
