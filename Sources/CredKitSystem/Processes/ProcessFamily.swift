// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A process of this process's group and those that it has started, as far as they are still in the group. Unlike the
/// group itself, they can be killed without this process and its pipeline.
struct ProcessFamily: Sendable {
    private struct Member {
        let process: pid_t
        let parent: pid_t
    }

    private let first: pid_t
    private let pipes: [stat]

    /// Describes the family.
    ///
    /// - Parameters:
    ///   - first: The child process that started the others.
    ///   - pipes: The pipes that its output goes to. They identify those whose parent has ended.
    init(of first: pid_t, reading pipes: [Descriptor]) {
        self.first = first
        self.pipes = pipes.compactMap { try? $0.status() }
    }

    /// Kills all of them. Processes that left the group, as services do, go on.
    func kill() {
        // A process may start another one before it is killed, so this looks until none is left.
        for _ in 0..<20 {
            let members = members()
            if members.isEmpty { return }
            for member in members { Glibc.kill(member, SIGKILL) }
            usleep(500)
        }
        // Also where there is no /proc.
        Glibc.kill(first, SIGKILL)
    }

    /// Returns the processes that have not ended.
    private func members() -> [pid_t] {
        let group = Self.group()
        var family: Set = [first]
        // Until there is no further child of a member: numbers of processes are in no order.
        while true {
            let children = group.filter { family.contains($0.parent) && !family.contains($0.process) }
            if children.isEmpty { break }
            family.formUnion(children.map(\.process))
        }
        return group.map(\.process).filter { family.contains($0) || writesToPipe($0) }
    }

    /// Returns the other processes of this process's group.
    private static func group() -> [Member] {
        let (own, group) = (getpid(), getpgrp())
        let names = (try? Descriptor.open("/proc", O_RDONLY | O_DIRECTORY).entryNames()) ?? []
        return names.compactMap { name in
            guard let process = pid_t(name), process != own,
                let bytes = try? Descriptor.open("/proc/\(process)/stat", O_RDONLY).readAll(limit: 4096),
                // The name of the program, in parentheses, may contain any character.
                let end = bytes.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
            guard fields.count > 2, fields[0] != "Z", fields[0] != "X", pid_t(fields[2]) == group,
                let parent = pid_t(fields[1])
            else { return nil }
            return Member(process: process, parent: parent)
        }
    }

    private func writesToPipe(_ process: pid_t) -> Bool {
        guard let folder = try? Descriptor.open("/proc/\(process)/fd", O_RDONLY | O_DIRECTORY),
            let names = try? folder.entryNames()
        else { return false }
        return names.contains { name in
            var status = stat()
            guard unsafe fstatat(folder.number, name, &status, 0) == 0 else { return false }
            return pipes.contains { $0.st_dev == status.st_dev && $0.st_ino == status.st_ino }
        }
    }
}
