// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Groups of one user. Where each user has one, folders are made writable by the group (a umask of 002), and are as
/// private as others.
enum PrivateGroup {
    /// Returns whether a group has no member besides this user and root: it is this user's primary group and has the user's
    /// name, or it is root's, and no other user is listed as a member, or has it as the primary group in `/etc/passwd`.
    ///
    /// OpenSSH in Debian has the same rule for the files of a user, apart from the name. It is compared because users who
    /// are not in `/etc/passwd`, but in a directory service, are not enumerated.
    ///
    /// For root, the user can also be the owner of a file.
    static func contains(onlyUserOf group: gid_t, or owner: uid_t? = nil) -> Bool {
        let user = user(geteuid() == 0 ? owner ?? 0 : geteuid())
        guard let entry = members(of: group), group == 0 || (user?.group == group && user?.name == entry.name)
        else { return false }
        let names: Set = ["root", user?.name ?? "root"]
        return entry.members.allSatisfy(names.contains) && isPrimaryGroup(group, onlyOf: names)
    }

    private static func user(_ number: uid_t) -> (name: String, group: gid_t)? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        return unsafe withBuffer { base, count in
            guard unsafe getpwuid_r(number, &entry, base, count, &found) == 0, unsafe found != nil else {
                return nil
            }
            return unsafe (String(cString: entry.pw_name), entry.pw_gid)
        }
    }

    private static func members(of number: gid_t) -> (name: String, members: [String])? {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        return unsafe withBuffer { base, count in
            guard unsafe getgrgid_r(number, &entry, base, count, &found) == 0, unsafe found != nil else {
                return nil
            }
            var members: [String] = []
            var next = unsafe entry.gr_mem
            while let member = unsafe next?.pointee {
                unsafe members.append(String(cString: member))
                unsafe next = next?.successor()
            }
            return unsafe (String(cString: entry.gr_name), members)
        }
    }

    private static func isPrimaryGroup(_ group: gid_t, onlyOf names: Set<String>) -> Bool {
        guard let file = unsafe fopen("/etc/passwd", "re") else { return false }
        defer { unsafe fclose(file) }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        let result: Bool? = unsafe withBuffer { base, count in
            var status = unsafe fgetpwent_r(file, &entry, base, count, &found)
            while status == 0 {
                guard unsafe entry.pw_gid != group || names.contains(String(cString: entry.pw_name)) else {
                    return false
                }
                status = unsafe fgetpwent_r(file, &entry, base, count, &found)
            }
            return status == ENOENT
        }
        return result ?? false
    }

    private static func withBuffer<Value>(_ body: (UnsafeMutablePointer<CChar>, Int) -> Value?) -> Value? {
        // Large groups do not fit, and are not of one user.
        var buffer = [CChar](repeating: 0, count: 16384)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            return unsafe body(base, buffer.count)
        }
    }
}
