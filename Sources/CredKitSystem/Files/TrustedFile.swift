// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Whether a file that a user names, and whose content is trusted, may be used: only this user and root may
/// change it, or put another one in its place; for root, also the owner of the file.
///
/// Terminals, and what the process was started with (`/dev/stdin`, `/dev/fd/N`), are the caller's: they are not checked. Named
/// pipes are: another user could have made one of the name.
package enum TrustedFile {
    /// Checks an open file.
    ///
    /// - Parameters:
    ///   - number: The open file.
    ///   - path: The bytes of the path by which it was opened.
    ///   - name: Its name in messages.
    /// - Throws: ``SystemError`` of the kind `insecureFile`, with what to do.
    package static func check(
        _ number: Int32,
        path: [UInt8],
        name: @autoclosure () -> String
    ) throws(SystemError) {
        guard !isOfCaller(path) else { return }
        var status = stat()
        guard unsafe fstat(number, &status) == 0, isatty(number) == 0 else { return }
        let owner = status.st_uid
        // Root names the file of a user on purpose, who could also have written something else into it.
        guard geteuid() == 0 || owner == 0 || owner == geteuid() || UserNamespace.isUnmapped(owner) else {
            throw SystemError(
                .insecureFile,
                "\(name()) belongs to another user (\(owner)), who can change it: use a copy that belongs to you or to root"
            )
        }
        let isOpenToAll = status.st_mode & S_IWOTH != 0
        // With an access control list, the bits of the group are the most that any of its users may do.
        let isOpenToGroup =
            status.st_mode & S_IWGRP != 0
            && (hasAccessList(number) || !PrivateGroup.contains(onlyUserOf: status.st_gid, or: owner))
        // All write to a device such as /dev/null, whose content does not change by it.
        guard status.st_mode & S_IFMT == S_IFCHR || !isOpenToAll && !isOpenToGroup else {
            let others = (isOpenToGroup ? "g" : "") + (isOpenToAll ? "o" : "")
            throw SystemError(.insecureFile, "others can change \(name()): run chmod \(others)-w on it")
        }
        // What has no name can have no other file in its place: an anonymous pipe, or a file that was removed, of `/proc/N/fd`.
        if status.st_nlink == 0 || isAnonymousPipe(number), owner == 0 || owner == geteuid() { return }
        try TrustedPath.check(file: path, of: owner)
    }

    private static func isOfCaller(_ path: [UInt8]) -> Bool {
        path.elementsEqual("/dev/stdin".utf8)
            || ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"].contains { folder in
                path.starts(with: folder.utf8)
                    && path.dropFirst(folder.utf8.count).allSatisfy { 0x30...0x39 ~= $0 }
            }
    }

    private static func isAnonymousPipe(_ number: Int32) -> Bool {
        var target = [CChar](repeating: 0, count: 64)
        let count = unsafe readlink("/proc/self/fd/\(number)", &target, target.count)
        return target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }.starts(with: "pipe:[".utf8)
    }

    /// Whether the permissions of a file let every user of the machine read it.
    ///
    /// - Parameter path: The bytes of its path.
    /// - Returns: Whether they do.
    package static func isReadableByAll(_ path: [UInt8]) -> Bool {
        var status = stat()
        return unsafe stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0
            && status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_IROTH != 0
    }

    private static func hasAccessList(_ number: Int32) -> Bool {
        let copy = dup(number)
        return copy < 0 || AccessList.isPresent(on: Descriptor(copy))
    }
}
