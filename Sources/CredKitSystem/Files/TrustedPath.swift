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
///
/// Each folder is opened relative to the one before it, which was checked. What is exchanged meanwhile is not used.
struct TrustedPath {
    /// As many symbolic links as the kernel follows.
    private static let linkLimit = 40
    /// O_PATH, which Swift does not import: folders on the way may be readable by others only.
    private static let pathOnly: Int32 = 0o10_000_000

    /// The path as it was given, for messages.
    private let given: String
    /// Whether the last component is a file.
    private let isFile: Bool
    /// Whose folders are trusted, besides those of this user and root; `nil` for none.
    private var owner: uid_t?
    /// The path of the current folder without links, for messages.
    private var place: [ArraySlice<UInt8>] = []
    private var folder: Descriptor
    private var status: stat
    /// The components that remain, the next one last.
    private var rest: [ArraySlice<UInt8>] = []
    private var linkCount = 0

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - path: The path. If it is relative, it begins in the current folder.
    ///   - isCreated: Whether missing folders are created, accessible to this user only.
    /// - Returns: The folder, open for reading.
    /// - Throws: ``SystemError``; `insecureFile` if others could exchange a part of the path.
    static func open(_ path: String, isCreated: Bool) throws(SystemError) -> Descriptor {
        var way = try TrustedPath(Array(path.utf8), isFile: false)
        while let next = way.rest.popLast() { try way.enter(next, isCreated: isCreated) }
        let number = unsafe openat(way.folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, way.operation) }
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
        while let next = way.rest.popLast() { try way.enter(next, isCreated: false) }
    }

    private init(_ path: [UInt8], isFile: Bool) throws(SystemError) {
        given = String(decoding: path, as: UTF8.self)
        self.isFile = isFile
        guard !path.contains(0) else { throw SystemError(EINVAL, "cannot open \(given)") }
        guard !path.isEmpty else { throw SystemError(ENOENT, "cannot open \(given)") }
        folder = try Self.root(given)
        status = try folder.status()
        push(path)
        if path.first != UInt8(ascii: "/") { try push(Self.currentFolder(given)) }
    }

    private var operation: String { "cannot open \(isFile ? "" : "the folder ")\(given)" }

    private static func root(_ path: String) throws(SystemError) -> Descriptor {
        guard let root = open([CChar(bitPattern: UInt8(ascii: "/")), 0], in: AT_FDCWD) else {
            throw SystemError(errno, "cannot open the folder \(path)")
        }
        return root
    }

    private static func currentFolder(_ path: String) throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard unsafe getcwd(&buffer, buffer.count) != nil else {
            throw SystemError(errno, "cannot open the folder \(path)")
        }
        return buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Adds components before those that remain.
    private mutating func push(_ path: [UInt8]) {
        rest += path.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
            .reversed()
    }

    /// Goes one component further.
    private mutating func enter(_ name: ArraySlice<UInt8>, isCreated: Bool) throws(SystemError) {
        let terminated = name.map { CChar(bitPattern: $0) } + [0]
        if name.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) {
            guard let parent = Self.open(terminated, in: folder.number) else {
                throw SystemError(errno, operation)
            }
            (folder, status) = try (parent, parent.status())
            _ = place.popLast()
            return
        }
        try FolderOwners.check(status, folder, trusting: owner, name: placeName)
        let next = try open(terminated, isCreated: isCreated)
        let nextStatus = try next.status()
        if FolderOwners.protectFilesOfOthers(in: status) {
            try FolderOwners.check(ownerOf: nextStatus, isSticky: true, name: placeName(of: name))
        }
        if nextStatus.st_mode & S_IFMT == S_IFLNK { return try follow(next) }
        (folder, status) = (next, nextStatus)
        place.append(name)
    }

    /// Opens a folder or a symbolic link in the current folder.
    private func open(_ name: [CChar], isCreated: Bool) throws(SystemError) -> Descriptor {
        if let next = Self.open(name, in: folder.number) { return next }
        if errno == ENOENT && isCreated {
            guard unsafe mkdirat(folder.number, name, 0o700) == 0 || errno == EEXIST else {
                throw SystemError(errno, "cannot create the folder \(given)")
            }
            if let next = Self.open(name, in: folder.number) { return next }
        }
        guard errno == ENOTDIR || errno == ELOOP else { throw SystemError(errno, operation) }
        let number = unsafe openat(folder.number, name, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, operation) }
        let next = Descriptor(number)
        let kind = try next.status().st_mode & S_IFMT
        guard kind == S_IFLNK || kind == S_IFDIR || isFile && rest.isEmpty else {
            throw SystemError(ENOTDIR, operation)
        }
        return next
    }

    /// Opens a folder, not a link. Without O_DIRECTORY, a file system that mounts itself when it is used would not appear.
    private static func open(_ name: [CChar], in folder: Int32) -> Descriptor? {
        let number = unsafe openat(folder, name, pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return number < 0 ? nil : Descriptor(number)
    }

    private mutating func follow(_ link: Descriptor) throws(SystemError) {
        linkCount += 1
        guard linkCount <= Self.linkLimit else {
            throw SystemError(.inputOutput, "\(operation): there are too many symbolic links")
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(link.number, "", &buffer, buffer.count)
        guard count > 0 else { throw SystemError(errno, operation) }
        let target = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        if target.first == UInt8(ascii: "/") {
            folder = try Self.root(given)
            status = try folder.status()
            place = []
        }
        push(target)
    }

    private var placeName: String { placeName(of: nil) }

    private func placeName(of name: ArraySlice<UInt8>?) -> String {
        let parts = place + (name.map { [$0] } ?? [])
        return "/" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }
}
