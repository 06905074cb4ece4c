// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The way to a file, component by component. Each is opened relative to the folder before it, without following links, so
/// that what was checked is what is used. Folders on the way may be readable by others only.
struct PathWalk {
    /// As many symbolic links as the kernel follows.
    private static let linkLimit = 40

    /// What fails if a step does, for people.
    let operation: String
    /// The path of the current folder without links, for messages.
    private var place: [ArraySlice<UInt8>] = []
    private(set) var folder: Descriptor
    private(set) var status: stat
    /// The components that remain, the next one last.
    private var rest: [ArraySlice<UInt8>] = []
    private var linkCount = 0

    /// Starts in the root folder, or in the current one if the path is relative.
    init(_ path: [UInt8], _ operation: String) throws(SystemError) {
        self.operation = operation
        guard !path.contains(0) else { throw SystemError(EINVAL, operation) }
        guard !path.isEmpty else { throw SystemError(ENOENT, operation) }
        folder = try Self.root(operation)
        status = try folder.status()
        push(path)
        if path.first != UInt8(ascii: "/") { try push(Self.currentFolder(operation)) }
    }

    /// Whether no component follows.
    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the next component, which is neither `.` nor `..`; `nil` at the end.
    mutating func next() throws(SystemError) -> ArraySlice<UInt8>? {
        while let name = rest.popLast() {
            guard name.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) else { return name }
            guard let parent = openFolder(name) else { throw SystemError(errno, operation) }
            (folder, status) = try (parent, parent.status())
            _ = place.popLast()
        }
        return nil
    }

    /// Makes an open folder the current one.
    mutating func enter(_ next: Descriptor, _ nextStatus: stat, _ name: ArraySlice<UInt8>) {
        (folder, status) = (next, nextStatus)
        place.append(name)
    }

    /// Continues where a link leads to.
    ///
    /// - Parameter link: The open link.
    /// - Returns: Whether its target is an absolute path.
    /// - Throws: ``SystemError``.
    mutating func follow(_ link: Descriptor) throws(SystemError) -> Bool {
        linkCount += 1
        guard linkCount <= Self.linkLimit else {
            throw SystemError(.inputOutput, "\(operation): there are too many symbolic links")
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(link.number, "", &buffer, buffer.count)
        guard count > 0 else { throw SystemError(errno, operation) }
        let target = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        let isAbsolute = target.first == UInt8(ascii: "/")
        if isAbsolute {
            folder = try Self.root(operation)
            status = try folder.status()
            place = []
        }
        push(target)
        return isAbsolute
    }

    /// Opens a folder in the current one, not a link; `nil`, with `errno`, if that fails. Without O_DIRECTORY, a file system
    /// that mounts itself when it is used would not appear.
    func openFolder(_ name: ArraySlice<UInt8>) -> Descriptor? {
        Self.open(Self.terminated(name), in: folder.number, O_DIRECTORY | O_NOFOLLOW)
    }

    /// Opens whatever has a name in the current folder, for its path alone; `nil`, with `errno`, if that fails.
    func openEntry(_ name: ArraySlice<UInt8>, followsLink: Bool = false) -> Descriptor? {
        Self.open(Self.terminated(name), in: folder.number, followsLink ? 0 : O_NOFOLLOW)
    }

    /// Returns the path of the current folder, or of a name in it.
    func placeName(of name: ArraySlice<UInt8>? = nil) -> String {
        let parts = place + (name.map { [$0] } ?? [])
        return "/" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }

    /// Returns a component with a NUL byte at its end.
    static func terminated(_ name: ArraySlice<UInt8>) -> [CChar] {
        name.map { CChar(bitPattern: $0) } + [0]
    }

    /// Adds components before those that remain.
    private mutating func push(_ path: [UInt8]) {
        rest += path.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
            .reversed()
    }

    private static func open(_ name: [CChar], in folder: Int32, _ flags: Int32) -> Descriptor? {
        let number = unsafe openat(folder, name, Descriptor.pathOnly | flags | O_CLOEXEC)
        return number < 0 ? nil : Descriptor(number)
    }

    private static func root(_ operation: String) throws(SystemError) -> Descriptor {
        guard let root = open([CChar(bitPattern: UInt8(ascii: "/")), 0], in: AT_FDCWD, O_DIRECTORY) else {
            throw SystemError(errno, operation)
        }
        return root
    }

    private static func currentFolder(_ operation: String) throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard unsafe getcwd(&buffer, buffer.count) != nil else { throw SystemError(errno, operation) }
        return buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }
}
