// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Who can exchange what is in a folder.
enum FolderOwners {
    /// Checks that only this user and root can exchange what is in a folder, apart from the owners of a sticky folder's
    /// files.
    ///
    /// - Parameters:
    ///   - status: The folder's status.
    ///   - folder: The folder.
    ///   - other: Another user whom root trusts.
    ///   - name: Its name in messages.
    /// - Throws: ``SystemError`` of the kind `insecureFile`, with the command that mends the folder.
    static func check(
        _ status: stat,
        _ folder: Descriptor,
        trusting other: uid_t? = nil,
        name: @autoclosure () -> String
    ) throws(SystemError) {
        try check(ownerOf: status, trusting: other, name: name())
        guard status.st_mode & S_ISVTX == 0 else { return }
        let (isOpenToGroup, isOpenToAll) = writers(status, folder)
        guard isOpenToAll || isOpenToGroup else { return }
        let others = (isOpenToGroup ? "g" : "") + (isOpenToAll ? "o" : "")
        throw SystemError(
            .insecureFile,
            "others can replace what is in the folder \(name()): run chmod \(others)-w on it, or chmod +t"
        )
    }

    /// Returns whether other users than its owner can write into a folder, with or without the sticky bit.
    static func areSeveral(of status: stat, _ folder: Descriptor) -> Bool {
        let (group, all) = writers(status, folder)
        return group || all
    }

    /// Returns who else can write into a folder.
    private static func writers(_ status: stat, _ folder: Descriptor) -> (group: Bool, all: Bool) {
        let isOpenToAll = status.st_mode & S_IWOTH != 0
        var isOpenToGroup = status.st_mode & S_IWGRP != 0
        if isOpenToGroup && !isOpenToAll {
            isOpenToGroup =
                AccessList.isPresent(on: folder) || !PrivateGroup.contains(onlyUserOf: status.st_gid)
        }
        return (isOpenToGroup, isOpenToAll)
    }

    /// Returns whether others can write into a folder, but not exchange the files of this user in it.
    static func protectFilesOfOthers(in status: stat) -> Bool {
        status.st_mode & S_ISVTX != 0 && status.st_mode & (S_IWGRP | S_IWOTH) != 0
    }

    /// Checks that a folder or symbolic link belongs to this user or to root.
    ///
    /// - Parameters:
    ///   - status: Its status.
    ///   - isSticky: Whether it is in a folder that others can write into, where any user could have made it.
    ///   - other: Another user whom root trusts.
    ///   - name: Its name in messages.
    /// - Throws: ``SystemError`` of the kind `insecureFile`.
    static func check(
        ownerOf status: stat,
        isSticky: Bool = false,
        trusting other: uid_t? = nil,
        name: @autoclosure () -> String
    ) throws(SystemError) {
        let owner = status.st_uid
        guard owner != 0, owner != geteuid(), geteuid() != 0 || owner != other,
            isSticky || !UserNamespace.isUnmapped(owner)
        else { return }
        let advice =
            geteuid() == 0
            ? "run the command as that user, or set HOME to root's home folder"
            : "use another folder, or make root its owner"
        throw SystemError(
            .insecureFile,
            "\(name()) belongs to another user (\(owner)), who can replace it, or what is in it: \(advice)"
        )
    }
}

/// The users that exist for this process.
enum UserNamespace {
    /// Returns whether a number stands for users that do not exist in this container: the system's real root and others.
    ///
    /// In a container that root has not set up, the system's own folders have this owner, and programs in it cannot
    /// distinguish root from the others. They are trusted: otherwise nothing could be stored there. On a system without
    /// such a container, the number is that of an ordinary user, who is not trusted.
    static func isUnmapped(_ user: uid_t) -> Bool {
        guard number("/proc/sys/kernel/overflowuid") == user,
            let map = try? Descriptor.open("/proc/self/uid_map", O_RDONLY).readAll(limit: 64 << 10)
        else { return false }
        return !String(decoding: map, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ").compactMap { UInt64($0) }
            return fields.count == 3 && fields[0] <= UInt64(user) && UInt64(user) - fields[0] < fields[2]
        }
    }

    private static func number(_ path: String) -> uid_t? {
        guard let bytes = try? Descriptor.open(path, O_RDONLY).readAll(limit: 100) else { return nil }
        return uid_t(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
