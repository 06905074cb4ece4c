// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// The way to an ``OutputPath``.
struct OutputWalk {
    private var walk: PathWalk
    /// Whether the path names a folder by a slash at its end.
    private let namesFolder: Bool
    /// Whether another user made a folder on the way, in a folder that others can write.
    private var isPlanted = false
    /// Whether the last component comes from a link.
    private var isBehindLink = false

    init(_ path: [UInt8], _ operation: String) throws(SystemError) {
        walk = try PathWalk(path, operation)
        namesFolder = path.last == UInt8(ascii: "/")
    }

    /// Goes to the place of a file.
    mutating func place() throws(SystemError) -> OutputPath {
        while let name = try walk.next() {
            if let occupant = try enter(name) {
                guard !namesFolder else { throw SystemError(ENOTDIR, walk.operation) }
                return OutputPath(folder: walk.folder, name: name, occupant, walk.operation)
            }
        }
        throw SystemError(EISDIR, walk.operation)
    }

    /// Goes to the folder of a file that is to be created.
    mutating func newPlace() throws(SystemError) -> OutputPath {
        while let name = try walk.next() {
            if walk.isAtEnd && !namesFolder {
                return OutputPath(folder: walk.folder, name: name, .none, walk.operation)
            }
            guard try enter(name) == nil else { throw SystemError(ENOTDIR, walk.operation) }
        }
        throw SystemError(EISDIR, walk.operation)
    }

    /// Goes to a folder that this user or root made, or that others cannot write, and opens it for reading.
    mutating func openedFolder() throws(SystemError) -> Descriptor {
        while let name = try walk.next() {
            switch try enter(name) {
            case nil: continue
            case .some(.none): throw SystemError(ENOENT, walk.operation)
            default: throw SystemError(ENOTDIR, walk.operation)
            }
        }
        guard !isPlanted else {
            throw SystemError(
                .insecureFile,
                "\(walk.operation): another user made the folder \(walk.placeName()): use another one"
            )
        }
        let number = unsafe openat(walk.folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, walk.operation) }
        return Descriptor(number)
    }

    /// Goes one component further.
    ///
    /// - Parameter name: The component.
    /// - Returns: What stands at the end of the path; `nil` if the way goes on, or ends in a folder.
    /// - Throws: ``SystemError``; `insecureFile` for what another user can have put there.
    private mutating func enter(_ name: ArraySlice<UInt8>) throws(SystemError) -> OutputPath.Occupant? {
        let isLast = walk.isAtEnd
        guard let entry = walk.openFolder(name) ?? walk.openEntry(name) else {
            guard errno == ENOENT && isLast else { throw SystemError(errno, walk.operation) }
            guard !isBehindLink else {
                throw SystemError(
                    .inputOutput,
                    "\(walk.operation): a symbolic link to a file that does not exist"
                )
            }
            return OutputPath.Occupant.none
        }
        let status = try entry.status()
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            isPlanted = isPlanted || isOfOthers(status)
            walk.enter(entry, status, name)
            return nil
        case S_IFLNK:
            try check(status, name)
            isBehindLink = isBehindLink || isLast
            return try follow(entry, name)
        case S_IFREG:
            try check(status, name)
            guard status.st_uid == geteuid() || !isLast else {
                throw SystemError(
                    .insecureFile,
                    "\(walk.operation): it belongs to another user (\(status.st_uid)): use another name, or remove it"
                )
            }
            return try last(.file)
        default:
            try check(status, name)
            return try last(.special(entry))
        }
    }

    private func last(_ occupant: OutputPath.Occupant) throws(SystemError) -> OutputPath.Occupant {
        guard walk.isAtEnd else { throw SystemError(ENOTDIR, walk.operation) }
        return occupant
    }

    private mutating func follow(
        _ link: Descriptor,
        _ name: ArraySlice<UInt8>
    ) throws(SystemError) -> OutputPath.Occupant? {
        guard credkit_is_process_file(link.number) else {
            // A link of this user or root leads out of a folder of others.
            if try walk.follow(link) { isPlanted = false }
            return nil
        }
        // What a process has open: only the kernel can follow these links, whose text need not be a path.
        guard let target = walk.openEntry(name, followsLink: true) else {
            throw SystemError(errno, walk.operation)
        }
        let status = try target.status()
        if status.st_mode & S_IFMT == S_IFDIR {
            walk.enter(target, status, name)
            return nil
        }
        // Opening it again would begin at the start of a file that the caller has written to.
        let isOwn = ["/proc/self/fd", "/proc/thread-self/fd"].contains(walk.placeName())
        if isOwn, let number = Int32(String(decoding: name, as: UTF8.self)) {
            return try last(.own(.duplicate(number, walk.operation)))
        }
        return try last(.special(target))
    }

    // MARK: The rule

    /// Refuses what another user may have put into the current folder.
    private func check(_ status: stat, _ name: ArraySlice<UInt8>) throws(SystemError) {
        let place = walk.placeName(of: name)
        guard !isOfOthers(status) else {
            throw SystemError(
                .insecureFile,
                "\(walk.operation): \(place) belongs to another user (\(status.st_uid)), who can have put it there as a "
                    + "trap: use another folder, or another name"
            )
        }
        guard status.st_nlink <= 1 || !isShared else {
            throw SystemError(
                .insecureFile,
                "\(walk.operation): \(place) has a second name, and another user can have given it this one: use another "
                    + "folder, or another name"
            )
        }
    }

    /// Whether an entry of the current folder may have been put there by another user than the folder's owner.
    private func isOfOthers(_ entry: stat) -> Bool {
        let owner = entry.st_uid
        guard owner != 0, owner != geteuid() else { return false }
        // The number of users that do not exist here stands for several.
        if !isPlanted && owner == walk.status.st_uid && !UserNamespace.isUnmapped(owner) { return false }
        return isShared
    }

    private var isShared: Bool { isPlanted || FolderOwners.areSeveral(of: walk.status, walk.folder) }
}
