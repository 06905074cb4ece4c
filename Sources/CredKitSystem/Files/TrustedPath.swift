// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The way from the root folder to a folder, component by component. It is refused if another user could put another
/// folder in the place of one of its components: what is stored would be theirs, or an older copy.
///
/// - Each folder on the way must belong to this user or root, and only they may write into it.
/// - Others may write into it if its sticky bit is set, as in `/tmp`, and the next component belongs to this user or root.
/// - Symbolic links are followed. The same holds for the folder that contains the link, and for the way to its target.
///
/// Root trusts nothing that other users own. So `sudo` with the home folder of its caller is refused, which would leave
/// files of root there, and would let the caller choose what root reads.
struct TrustedPath {
    /// The path as it was given, for messages.
    private let given: String
    /// Whether the last component is a file.
    private let isFile: Bool
    /// Whose folders are trusted, besides those of this user and root; `nil` for none.
    private var owner: uid_t?
    private var walk: PathWalk

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - path: The path. If it is relative, it begins in the current folder.
    ///   - isCreated: Whether missing folders are created, accessible to this user only.
    /// - Returns: The folder, open for reading.
    /// - Throws: ``SystemError``; `insecureFile` if others could exchange a part of the path.
    static func open(_ path: String, isCreated: Bool) throws(SystemError) -> Descriptor {
        var way = try TrustedPath(Array(path.utf8), isFile: false)
        while let next = try way.walk.next() { try way.enter(next, isCreated: isCreated) }
        let number = unsafe openat(way.walk.folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, way.walk.operation) }
        return Descriptor(number)
    }

    /// Checks the way to a file, also through links.
    ///
    /// - Parameters:
    ///   - path: The path. If it is relative, it begins in the current folder.
    ///   - owner: The owner of the file, whose folders root trusts for it.
    /// - Throws: ``SystemError``; `insecureFile` if others could exchange a part of the path.
    static func check(file path: [UInt8], of owner: uid_t) throws(SystemError) {
        var way = try TrustedPath(path, isFile: true)
        way.owner = owner
        while let next = try way.walk.next() { try way.enter(next, isCreated: false) }
    }

    private init(_ path: [UInt8], isFile: Bool) throws(SystemError) {
        given = String(decoding: path, as: UTF8.self)
        self.isFile = isFile
        walk = try PathWalk(path, "cannot open \(isFile ? "" : "the folder ")\(given)")
    }

    /// Goes one component further.
    private mutating func enter(_ name: ArraySlice<UInt8>, isCreated: Bool) throws(SystemError) {
        try FolderOwners.check(walk.status, walk.folder, trusting: owner, name: walk.placeName())
        let next = try open(name, isCreated: isCreated)
        let status = try next.status()
        if FolderOwners.protectFilesOfOthers(in: walk.status) {
            try FolderOwners.check(ownerOf: status, isSticky: true, name: walk.placeName(of: name))
        }
        if status.st_mode & S_IFMT == S_IFLNK {
            _ = try walk.follow(next)
        } else {
            walk.enter(next, status, name)
        }
    }

    /// Opens a folder or a symbolic link in the current folder.
    private func open(_ name: ArraySlice<UInt8>, isCreated: Bool) throws(SystemError) -> Descriptor {
        if let next = walk.openFolder(name) { return next }
        if errno == ENOENT && isCreated {
            guard
                unsafe mkdirat(walk.folder.number, PathWalk.terminated(name), 0o700) == 0 || errno == EEXIST
            else {
                throw SystemError(errno, "cannot create the folder \(given)")
            }
            if let next = walk.openFolder(name) { return next }
        }
        guard errno == ENOTDIR || errno == ELOOP, let next = walk.openEntry(name) else {
            throw SystemError(errno, walk.operation)
        }
        let kind = try next.status().st_mode & S_IFMT
        guard kind == S_IFLNK || kind == S_IFDIR || isFile && walk.isAtEnd else {
            throw SystemError(ENOTDIR, walk.operation)
        }
        return next
    }
}
